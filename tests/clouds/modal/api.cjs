// The calls of Modal's control plane: (request, cloud, metadata) to the answer, or to a Refusal.
'use strict';

const { sleep } = require('../fakes/control.cjs');
const { Refusal } = require('./cloud.cjs');

const kTerminated = { status: 3 };

const calls = {
  AuthTokenGet: (_, cloud) => ({ token: cloud.tokens.account.make({ sub: 'workspace' }) }),

  EnvironmentGetOrCreate: (request) => ({
    environment_id: 'en-fake',
    metadata:
        { name: request.deployment_name || 'main', settings: { image_builder_version: '2026.01' } },
  }),

  AppGetOrCreate: (request, cloud) =>
      ({ app_id: cloud.app(request.app_name, request.object_creation_type === 1) }),

  // The first answer is that it is being built; ImageJoinStreaming says how that went.
  ImageGetOrCreate: (request, cloud) => {
    const id = cloud.buildImage(request.image);
    const image = cloud.image(id);
    return { image_id: id, result: image.built ? { status: 1 } : undefined };
  },

  ImageFromId: (request, cloud) => {
    cloud.image(request.image_id);
    return { image_id: request.image_id };
  },

  ImageDelete: (request, cloud) => {
    cloud.image(request.image_id);
    cloud.images.delete(request.image_id);
    return {};
  },

  SandboxCreateV2: async (request, cloud) => {
    const sandbox = await cloud.createSandbox(request);
    if (!sandbox.ready) return { sandbox_id: sandbox.id };
    return {
      sandbox_id: sandbox.id,
      task_id: sandbox.task,
      command_router_access: cloud.access(sandbox)
    };
  },

  SandboxGetTaskIdV2: (request, cloud) => {
    const sandbox = cloud.sandbox(request.sandbox_id);
    if (sandbox.result) return { task_result: sandbox.result };
    return sandbox.ready ? { task_id: sandbox.task } : {};
  },

  SandboxGetCommandRouterAccess: (request, cloud) => {
    const sandbox = cloud.sandbox(request.sandbox_id);
    if (sandbox.result) throw new Refusal('NOT_FOUND', `Sandbox ${sandbox.id} has finished`);
    return cloud.access(sandbox);
  },

  SandboxGetFromNameV2: (request, cloud) => {
    const app = cloud.apps.get(request.app_name);
    const found = [...cloud.sandboxes.values()].filter(
        (one) => one.app === app && one.definition.name === request.sandbox_name);
    const sandbox =
        found.find((one) => !one.result) ?? (request.include_terminated ? found.at(-1) : undefined);
    if (!sandbox) throw new Refusal('NOT_FOUND', `Sandbox '${request.sandbox_name}' not found`);
    return { sandbox_id: sandbox.id };
  },

  // The newest first; the client asks again with the time of the last until there is none.
  SandboxListV2: (request, cloud) => {
    const has = (sandbox, tag) => sandbox.tags.some(
        (one) => one.tag_name === tag.tag_name && one.tag_value === tag.tag_value);
    const found = [...cloud.sandboxes.values()].reverse().filter(
        (one) =>
            ((!request.app_id || one.app === request.app_id) &&
             (request.include_finished || !one.result) &&
             (!request.before_timestamp || one.created < request.before_timestamp) &&
             request.tags.every((tag) => has(one, tag))));
    return {
      sandboxes: found.map((one) => ({
                             id: one.id,
                             created_at: one.created,
                             app_id: one.app,
                             tags: one.tags,
                             name: one.definition.name ?? '',
                             image_id: one.definition.image_id,
                           })),
    };
  },

  SandboxTagsGetV2: (request, cloud) => ({ tags: cloud.sandbox(request.sandbox_id).tags }),

  SandboxWaitV2: async (request, cloud) => {
    const sandbox = cloud.sandbox(request.sandbox_id);
    for (let left = request.timeout; !sandbox.result && left > 0; left -= 0.05) await sleep(0.05);
    return { result: sandbox.result };
  },

  SandboxTerminateV2: async (request, cloud) => {
    const sandbox = cloud.sandbox(request.sandbox_id);
    const existing = sandbox.result;
    await cloud.end(sandbox, kTerminated);
    return { existing_result: existing };
  },
};

const streams = {
  async* ImageJoinStreaming(request, cloud) {
    const image = cloud.image(request.image_id);
    yield { entry_id: '1-0', task_logs: [{ data: 'Building image\n' }] };
    image.built = !image.failure;
    yield {
      entry_id: '2-0',
      result: image.failure ? { status: 2, exception: image.failure } : { status: 1 },
      eof: true
    };
  },
};

// Who may call: the client says who it is, and for all but its first call has a token for that.
function authorize(method, metadata, cloud) {
  const [id] = metadata.get('x-modal-token-id');
  const [secret] = metadata.get('x-modal-token-secret');
  if (id !== cloud.options.tokenId || secret !== cloud.options.tokenSecret) {
    throw new Refusal('UNAUTHENTICATED', 'Token validation failed: token ID or secret is wrong');
  }
  for (const name of ['x-modal-client-type', 'x-modal-client-version']) {
    if (!metadata.get(name).length) throw new Refusal('FAILED_PRECONDITION', `${name} is missing`);
  }
  if (method !== 'AuthTokenGet') cloud.tokens.account.read(metadata.get('x-modal-auth-token')[0]);
}

module.exports = { authorize, calls, streams };
