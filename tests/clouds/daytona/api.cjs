// The routes of Daytona's API: ({cloud, params, query, body}) to what is answered, or to a Refusal.
'use strict';

const { Refusal } = require('./cloud.cjs');

const one = (work) => ({ cloud, params, body }) =>
    cloud.view(work(cloud, cloud.find(params.sandbox), body));

const routes = {
  'POST /sandbox': ({ cloud, body }) => cloud.view(cloud.create(body)),

  'GET /sandbox': ({ cloud, query }) => {
    const labels = Object.entries(JSON.parse(query.labels ?? '{}'));
    const found = [...cloud.sandboxes.values()].filter(
        (sandbox) =>
            (sandbox.state !== 'destroyed' &&
             labels.every(([name, value]) => sandbox.labels[name] === value) &&
             (!query.name || sandbox.name === query.name)));
    const from = Number(query.cursor ?? 0);
    const limit = Number(query.limit ?? 100);
    const next = from + limit < found.length ? String(from + limit) : null;
    return {
      items: found.slice(from, from + limit).map((sandbox) => cloud.view(sandbox)),
      nextCursor: next
    };
  },

  'GET /sandbox/:sandbox': one((_, sandbox) => sandbox),
  'DELETE /sandbox/:sandbox': one((cloud, sandbox) => cloud.destroy(sandbox)),
  'POST /sandbox/:sandbox/start': one((cloud, sandbox) => cloud.start(sandbox)),
  'POST /sandbox/:sandbox/stop': one((cloud, sandbox) => cloud.stop(sandbox)),
  'POST /sandbox/:sandbox/archive': one((cloud, sandbox) => cloud.archive(sandbox)),
  'POST /sandbox/:sandbox/snapshot':
      one((cloud, sandbox, { name }) => cloud.snapshot(sandbox, name)),
  'POST /sandbox/:sandbox/last-activity': one((_, sandbox) => sandbox),
  'POST /sandbox/:sandbox/autostop/:interval': ({ cloud, params }) => {
    const sandbox = cloud.find(params.sandbox);
    sandbox.wish.autoStopInterval = Number(params.interval);
    return cloud.view(sandbox);
  },
  'PUT /sandbox/:sandbox/labels': ({ cloud, params, body }) => {
    const sandbox = cloud.find(params.sandbox);
    if (typeof body.labels !== 'object') throw new Refusal(400, 'labels must be an object');
    sandbox.labels = body.labels;
    return { labels: sandbox.labels };
  },
  'GET /sandbox/:sandbox/toolbox-proxy-url': ({ cloud }) => ({ url: cloud.toolboxUrl }),
};

module.exports = { routes };
