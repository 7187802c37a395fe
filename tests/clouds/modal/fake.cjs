// A fake of Modal: its control plane and its command router, over gRPC without TLS, as a client
// speaks it that has MODAL_SERVER_URL=http://127.0.0.1:PORT. Sandboxes are real (../fakes/box.cjs).
//
//   node fake.cjs DIR [--token-seconds N] [--cold-start SECONDS] [--sandboxes N]
//
// Prints one line of JSON when it listens: {"url", "control", "token_id", "token_secret"}. Ends,
// with all its sandboxes, when its stdin does, or on SIGTERM. DIR/log has every request as it
// comes.
'use strict';

const path = require('node:path');
const fs = require('node:fs');
const { parseArgs } = require('node:util');
const grpc = require('@grpc/grpc-js');
const loader = require('@grpc/proto-loader');
const protobuf = require('protobufjs');

const { whyNot } = require('../fakes/box.cjs');
const { Control, sleep, withoutEmpty } = require('../fakes/control.cjs');
const { Front } = require('../fakes/front.cjs');
const api = require('./api.cjs');
const router = require('./router.cjs');
const { Cloud, Refusal } = require('./cloud.cjs');

const kProtos = path.join(__dirname, '../../../src/modal/proto');
const kFiles = ['modal_client.proto', 'task_command_router.proto'];
const kMessageBytes = 100 * 1024 * 1024;

// An error as gRPC says it; with a wish to be left alone, if the fault has one.
function said(error, types) {
  if (!(error instanceof Refusal)) {
    return { code: grpc.status.INTERNAL, details: error.stack };
  }
  const metadata = new grpc.Metadata();
  if (error.retryAfter !== undefined) {
    const policy = types.lookupType('modal.client.RPCRetryPolicy')
                       .encode({ retryAfterSecs: error.retryAfter })
                       .finish();
    const details = [{ typeUrl: 'type.googleapis.com/modal.client.RPCRetryPolicy', value: policy }];
    const status = { code: grpc.status[error.status], message: error.message, details };
    metadata.set(
        'grpc-status-details-bin',
        Buffer.from(types.lookupType('modal.client.RPCStatus').encode(status).finish()));
  }
  return { code: grpc.status[error.status], details: error.message, metadata };
}

function refusalOf(fault) {
  const refusal = new Refusal(fault.code ?? 'UNAVAILABLE', fault.message ?? 'fault on demand');
  refusal.retryAfter = fault.retry_after;
  return refusal;
}

// One of the two services: its calls behind the log, the faults and the tokens.
class Service {
  constructor(part, cloud, control, types) {
    Object.assign(this, { part, cloud, control, types });
  }

  // Before a request is carried out. The fault that is left to be dealt with after that.
  async admit(method, request, call) {
    const { cloud, control } = this;
    control.record(method, withoutEmpty(request), { headers: headersOf(call.metadata) });
    const fault = control.take(method);
    if (fault?.do === 'delay') await sleep(fault.seconds);
    if (fault?.do === 'vanish') await cloud.vanish(sandboxOf(request, cloud));
    if (fault?.do === 'error') throw refusalOf(fault);
    if (fault?.do === 'cut' && !fault.bytes) {
      this.front.cut();
      throw refusalOf(fault);
    }
    this.part.authorize(method, call.metadata, cloud);
    return fault;
  }

  // A repeated request, by its key, gets the first one's answer.
  async once(method, call, carryOut) {
    const [key] = call.metadata.get('x-idempotency-key');
    if (!key) return carryOut();
    const id = `${method} ${key}`;
    if (!this.cloud.answers.has(id)) {
      const answer = carryOut();
      this.cloud.answers.set(id, answer);
      answer.catch(() => this.cloud.answers.delete(id));
    }
    return this.cloud.answers.get(id);
  }

  unary(method) {
    return async (call, answer) => {
      const gone = new Promise((resolve) => call.once('cancelled', resolve));
      try {
        const fault = await this.admit(method, call.request, call);
        const carryOut = async () => this.part.calls[method](call.request, this.cloud, { gone });
        const result = await this.once(method, call, carryOut);
        if (fault?.do === 'lost') throw refusalOf(fault);
        answer(null, result);
      } catch (error) {
        answer(said(error, this.types));
      }
    };
  }

  serverStream(method) {
    return async (call) => {
      const gone = new Promise((resolve) => {
        for (const event of ['cancelled', 'close']) call.once(event, resolve);
      });
      try {
        const fault = await this.admit(method, call.request, call);
        let left = fault?.do === 'cut' ? fault.bytes : Infinity;
        for await (const message of this.part.streams[method](call.request, this.cloud, { gone })) {
          left -= message.data?.length ?? 0;
          if (left <= 0) {
            this.front.cut();
            throw refusalOf(fault);
          }
          if (!call.write(message))
            await Promise.race([new Promise((resolve) => call.once('drain', resolve)), gone]);
        }
        call.end();
      } catch (error) {
        call.emit('error', said(error, this.types));
      }
    };
  }

  clientStream(method) {
    return async (call, answer) => {
      try {
        const messages = call[Symbol.asyncIterator]();
        const first = await messages.next();
        const fault = await this.admit(method, first.value?.start ?? {}, call);
        let left = fault?.do === 'cut' ? fault.bytes : Infinity;
        const front = this.front;
        const all = async function* all() {
          yield first.value;
          for await (const message of { [Symbol.asyncIterator]: () => messages }) {
            left -= message.data?.length ?? 0;
            if (left <= 0) {
              front.cut();
              throw refusalOf(fault);
            }
            yield message;
          }
        };
        const result = await this.part.inputs[method](all(), this.cloud);
        if (fault?.do === 'lost') throw refusalOf(fault);
        answer(null, result);
      } catch (error) {
        answer(said(error, this.types));
      }
    };
  }

  handlers() {
    const made = {};
    for (const method of Object.keys(this.part.calls)) made[method] = this.unary(method);
    for (const method of Object.keys(this.part.streams)) made[method] = this.serverStream(method);
    for (const method of Object.keys(this.part.inputs ?? {}))
      made[method] = this.clientStream(method);
    return made;
  }

  async listen(definition) {
    const server = new grpc.Server({
      'grpc.max_receive_message_length': kMessageBytes,
      'grpc.max_send_message_length': kMessageBytes,
    });
    server.addService(definition, this.handlers());
    const port = await new Promise((resolve, reject) => {
      const bound = (error, number) => (error ? reject(error) : resolve(number));
      server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), bound);
    });
    this.front = new Front(port);
    return this.front.listen();
  }
}

function headersOf(metadata) {
  return Object.fromEntries(
      Object.entries(metadata.getMap()).filter(([name]) => /^(x-|authorization)/.test(name)));
}

function sandboxOf(request, cloud) {
  const { sandbox_id: id, task_id: task } = request;
  return id ?? [...cloud.sandboxes.values()].find((one) => one.task === task)?.id;
}

function readOptions() {
  const { values, positionals: [directory] } = parseArgs({
    allowPositionals: true,
    options: {
      'token-seconds': { type: 'string', default: '1200' },
      'cold-start': { type: 'string', default: '0' },
      sandboxes: { type: 'string', default: '100' },
    },
  });
  return {
    directory: path.resolve(directory),
    tokenSeconds: Number(values['token-seconds']),
    coldStart: Number(values['cold-start']),
    sandboxes: Number(values.sandboxes),
    tokenId: 'ak-fake',
    tokenSecret: 'as-fake',
  };
}

async function main() {
  const why = whyNot();
  if (why) {
    process.stderr.write(`${why}\n`);
    process.exit(77);
  }
  const options = readOptions();
  fs.mkdirSync(options.directory, { recursive: true });
  const cloud = new Cloud(options);
  const control = new Control({
    logFile: path.join(options.directory, 'log'),
    hooks: {
      expire: (tokens = 'router') => {
        cloud.tokens[tokens].generation += 1;
      },
      vanish: (id) => cloud.vanish(id),
      sandboxes:
          () => [...cloud.sandboxes.values()].filter((one) => !one.result).map((one) => one.id),
    },
  });
  const definition = loader.loadSync(
      kFiles,
      { includeDirs: [kProtos], keepCase: true, longs: Number, defaults: true, oneofs: false });
  const types = protobuf.loadSync(kFiles.map((file) => path.join(kProtos, file)));
  const plane = new Service(api, cloud, control, types);
  const port = await plane.listen(definition['modal.client.ModalClient']);
  const commands = new Service(router, cloud, control, types);
  const commandPort =
      await commands.listen(definition['modal.task_command_router.TaskCommandRouter']);
  cloud.routerUrl = `https://127.0.0.1:${
      commandPort}`;  // clients insist on https, and speak without TLS to localhost
  const controlPort = await control.listen();

  const stop = async () => {
    await cloud.stop();
    process.exit(0);
  };
  process.on('SIGTERM', stop);
  process.stdin.on('end', stop).on('error', stop).resume();
  const said = {
    url: `http://127.0.0.1:${port}`,
    control: `http://127.0.0.1:${controlPort}`,
    token_id: options.tokenId,
    token_secret: options.tokenSecret
  };
  process.stdout.write(`${JSON.stringify(said)}\n`);
}

main();
