// Compares our .proto files with the code in Modal's SDK that was generated from the full ones:
// every message, field number and kind, and every call. Prints what differs, and exits 1 if
// anything does. The drivers show it for what they use; this shows it for all of it, also after a
// new SDK.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const protobuf = require('protobufjs');

const kProtos = path.join(__dirname, '../../../src/modal/proto');
// Ours by another name: google.protobuf's, of which we need no file.
const kOthers = { Detail: 'Any', ImageDeleteResponse: 'Empty' };
// A value on the wire: its type there, and the call that writes it.
const kWire = { varint: 0, double: 1, bytes: 2, float: 5 };
const kTypes = {
  string: [kWire.bytes, 'string'], bytes: [kWire.bytes, 'bytes'], bool: [kWire.varint, 'bool'],
  int32: [kWire.varint, 'int32'], uint32: [kWire.varint, 'uint32'], int64: [kWire.varint, 'int64'],
  uint64: [kWire.varint, 'uint64'], float: [kWire.float, 'float'], double: [kWire.double, 'double'],
};

const sdk = fs.readFileSync(require.resolve('modal'), 'utf8');
const wrong = [];

// What the SDK writes for a message: lines of `writer.uint32(TAG)` by field.
function encoderOf(name) {
  const begin = sdk.indexOf(`\nvar ${name} = {\n  encode(`);
  return begin < 0 ? undefined : sdk.slice(begin, sdk.indexOf('\n  decode(', begin));
}

function tagOf(field) {
  const [wire, call] = field.map ? [kWire.bytes, 'fork'] :
      field.resolvedType instanceof protobuf.Enum ? [kWire.varint, 'int32'] :
      field.resolvedType ? [kWire.bytes, undefined] : kTypes[field.type];
  return { tag: field.id * 8 + wire, call };
}

function checkMessage(type) {
  const encoder = encoderOf(kOthers[type.name] ?? type.name);
  if (encoder === undefined) {
    wrong.push(`${type.name}: not in the SDK`);
    return;
  }
  for (const field of type.fieldsArray) {
    const { tag, call } = tagOf(field);
    const name = field.name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
    const writes = call ? `writer.uint32(${tag}).${call}(` : `, writer.uint32(${tag}).fork()`;
    // The line that writes it stands in the block that looks at the field.
    const block = encoder.indexOf(`message.${name}`);
    const until = encoder.indexOf('\n    }', block);
    if (block < 0 || !encoder.slice(block, until).includes(writes)) {
      wrong.push(`${type.name}.${field.name} = ${field.id}: not so in the SDK`);
    }
  }
}

function checkMethod(service, method) {
  const begin = sdk.indexOf(`\n      name: "${method.name}",`);
  const said = sdk.slice(begin, sdk.indexOf('}', begin));
  const type = (name) => kOthers[name.split('.').pop()] ?? name.split('.').pop();
  const wanted = [
    `requestType: ${type(method.requestType)},`,
    `responseType: ${type(method.responseType)},`,
    `requestStream: ${Boolean(method.requestStream)},`,
    `responseStream: ${Boolean(method.responseStream)},`,
  ];
  const differs = begin < 0 ? ['the call'] : wanted.filter((one) => !said.includes(one));
  if (differs.length)
    wrong.push(`${service.name}.${method.name}: not in the SDK: ${differs.join(' ')}`);
}

function walk(space) {
  for (const one of space.nestedArray) {
    if (one instanceof protobuf.Type) checkMessage(one);
    if (one instanceof protobuf.Service) {
      if (!sdk.includes(`fullName: "${one.fullName.slice(1)}"`))
        wrong.push(`${one.fullName}: not in the SDK`);
      for (const method of one.methodsArray) checkMethod(one, method);
    }
    if (one instanceof protobuf.Enum) checkEnum(one);
    if (one.nestedArray) walk(one);
  }
}

// Names and numbers stand together in what reads JSON.
function checkEnum(type) {
  for (const [name, number] of Object.entries(type.values)) {
    if (!sdk.includes(`case ${number}:\n    case "${name}":`)) {
      wrong.push(`${type.name}.${name} = ${number}: not in the SDK`);
    }
  }
}

const root = new protobuf.Root();
root.resolvePath = (_, file) => path.join(kProtos, path.basename(file));
root.loadSync(['modal_client.proto', 'task_command_router.proto'], { keepCase: true }).resolveAll();
walk(root);
if (wrong.length) {
  process.stderr.write(`${wrong.join('\n')}\n`);
  process.exit(1);
}
