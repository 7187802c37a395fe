// The program that Modal puts into every sandbox and its SDK runs for files: one argument of JSON,
// the file on stdin or stdout, an error as JSON on stderr. Ours is not in the sandbox but in this
// process.
'use strict';

const fs = require('node:fs');
const path = require('node:path');

const kProgram = '/__modal/.bin/modal-sandbox-fs-tools';
const kKinds = {
  ENOENT: ['NotFound', 'No such file or directory'],
  EISDIR: ['IsDirectory', 'Is a directory'],
  ENOTDIR: ['NotDirectory', 'Not a directory'],
  ENOTEMPTY: ['DirectoryNotEmpty', 'Directory not empty'],
  EEXIST: ['PathAlreadyExists', 'File exists'],
  EACCES: ['PermissionDenied', 'Permission denied'],
};

function entry(file, name) {
  const found = fs.lstatSync(file);
  const type = found.isDirectory() ? 'directory' : found.isSymbolicLink() ? 'symlink' : 'file';
  const mode = found.mode & 0o7777;
  return {
    name: path.basename(name),
    path: name,
    type,
    size: found.size,
    mode,
    permissions: mode.toString(8).padStart(4, '0'),
    owner: 'root',
    group: 'root',
    modified_time: found.mtimeMs / 1000,
    symlink_target: found.isSymbolicLink() ? fs.readlinkSync(file) : undefined,
  };
}

const tools = {
  ReadFile: (file) => ({ stdout: fs.readFileSync(file) }),
  WriteFile: (file, { }, input) => {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, input);
    return {};
  },
  ListFiles: (file, { path: name }) => {
    const names = fs.readdirSync(file).sort();
    return {
      stdout: JSON.stringify(
          names.map((one) => entry(path.join(file, one), path.posix.join(name, one))))
    };
  },
  Stat: (file, { path: name }) => ({ stdout: JSON.stringify(entry(file, name)) }),
  MakeDirectory: (file, { parents }) => {
    fs.mkdirSync(file, { recursive: parents });
    return {};
  },
  Remove: (file, { recursive }) => {
    if (recursive) fs.rmSync(file, { recursive });
    else if (fs.lstatSync(file).isDirectory()) fs.rmdirSync(file);
    else fs.unlinkSync(file);
    return {};
  },
};

function runFileTool(argument, input, box) {
  const [[name, options]] = Object.entries(JSON.parse(argument));
  try {
    const file = box.at(options.path);
    if (!file) throw Object.assign(new Error('not in a place of the sandbox'), { code: 'EACCES' });
    return { code: 0, ...tools[name](file, options, input) };
  } catch (error) {
    const [kind, message] = kKinds[error.code] ?? ['Unknown', error.message];
    return {
      code: 1,
      stderr: JSON.stringify({ error_kind: kind, message, detail: error.message })
    };
  }
}

// Whether its input matters: only then does it wait for the end of that.
const takesInput = (argument) => 'WriteFile' in JSON.parse(argument);
const isFileTool = (words) => words[0] === kProgram && words.length === 2;

module.exports = { isFileTool, runFileTool, takesInput };
