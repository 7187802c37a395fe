// The packed package, in an empty project, as its users get it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { runModule, World } from './support/world.js';

const world = new World();
const npm = {
  ...world.env,
  npm_config_update_notifier: 'false',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
};

function pack(folder: string): string {
  const to = world.directory(folder);
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', to], {
    env: npm,
  });
  const [file] = readdirSync(to);
  return path.join(to, file ?? '');
}

test('two packs are equal, and hold nothing but the package', () => {
  const [one, two] = [pack('one'), pack('two')];
  const hash = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');
  assert.equal(hash(one), hash(two));
  const names = execFileSync('tar', ['-tf', one], { encoding: 'utf8' }).trim().split('\n');
  const strange = names.filter(
    (name) => !/^package\/(dist\/[\w/-]+\.(js|d\.ts)|README\.md|LICENSE|package\.json)$/.test(name),
  );
  assert.deepEqual(strange, []);
  assert.ok(names.includes('package/dist/index.js') && names.includes('package/dist/ai.d.ts'));
});

test('the lock file names no registry, and the package depends on nothing', () => {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { resolved?: string }>;
  };
  assert.deepEqual(
    Object.entries(lock.packages).filter(([, { resolved }]) => resolved !== undefined),
    [],
  );
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    dependencies?: object;
  };
  assert.equal(dependencies, undefined);
});

test('it is installed from one file, without a network, and runs', async () => {
  const project = world.directory('project');
  const file = pack('installed');
  writeFileSync(path.join(project, 'package.json'), '{"private":true,"type":"module"}');
  execFileSync('npm', ['install', '--offline', '--omit=peer', '--silent', file], {
    cwd: project,
    env: npm,
  });
  assert.deepEqual(
    readdirSync(path.join(project, 'node_modules')).filter((name) => !name.startsWith('.')),
    ['@talaria'],
  );
  mkdirSync(path.join(project, 'src'));
  const module = path.join(project, 'src', 'hello.js');
  writeFileSync(
    module,
    "import { Talaria } from '@talaria/client';\nconst t = new Talaria();\nconsole.log((await t.run('echo hello')).stdout.trim());\n",
  );
  const ended = await runModule(module, world.env, project);
  assert.deepEqual([ended.code, ended.out, ended.err], [0, 'hello\n', '']);
});
