// Whether talaria-modal says to Modal what Modal's own SDK says for the same operation. These are
// all the differences there may be:
//
//   AuthTokenGet, AppGetOrCreate, SandboxGetTaskIdV2, SandboxGetCommandRouterAccess   each verb is
//   a
//     process of its own, which has to find out what a client that lives on remembers
//   the tag talaria-creation of a creation   by it one is found whose answer was lost
//   TaskExecStdinWrite   in pieces as they come; and the end of input is said to every command (the
//     driver of the SDK leaves it open where it has nothing to say)
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const { Control } = require('../fakes/control.cjs');

const kOwnProcess = ['AuthTokenGet', 'SandboxGetTaskIdV2', 'SandboxGetCommandRouterAccess'];
const kMark = 'talaria-creation';

// {operation: [line]} of a text in the normal form.
function sections(text) {
  const found = {};
  let lines;
  for (const line of text.trimEnd().split('\n')) {
    if (line.startsWith('# '))
      lines = found[line.slice(2)] = [];
    else if (!kOwnProcess.some((method) => line.startsWith(`${method} `)))
      lines.push(line);
  }
  return found;
}

function withoutMark({ tags, ...fields }) {
  const others = (tags ?? []).filter((tag) => tag.tag_name !== kMark);
  return others.length ? { ...fields, tags: others } : fields;
}

// The pieces of one input as one piece, and its end unless that was all.
function joinPieces(entries) {
  const inputs = new Map();
  const isPiece = ({ method, fields }) => method === 'TaskExecStdinWrite' && fields.data;
  for (const entry of entries.filter(isPiece)) {
    const { exec_id: id, offset = 0, data } = entry.fields;
    if (!inputs.has(id)) inputs.set(id, entry);
    const first = inputs.get(id);
    if (first === entry) continue;
    assert.equal(offset, first.fields.data.bytes, 'a piece begins where the last one ended');
    first.fields.data.bytes += data.bytes;
  }
  const isBareEnd = ({ method, fields }) =>
      method === 'TaskExecStdinWrite' && fields.eof && !fields.offset;
  return entries.filter((entry) => !isPiece(entry) || inputs.get(entry.fields.exec_id) === entry)
      .filter((entry) => !isBareEnd(entry) || entry.operation === 'stdin');
}

function normalForm(entries) {
  const control = new Control({ hooks: {} });
  control.entries = joinPieces(entries.map(
      (entry) =>
          (entry.method === 'SandboxCreateV2' ? { ...entry, fields: withoutMark(entry.fields) } :
                                                entry)));
  return sections(control.normal());
}

// `entries`: the log of the fake. `same`: our operations that the SDK has by the same name. Of all
// others each request must be one that the SDK has anywhere.
function compareRequests(entries, file, same) {
  const theirs = sections(fs.readFileSync(file, 'utf8'));
  for (const operation of ['create', 'restore']) theirs[operation].push(...theirs.app);
  const all = Object.values(theirs).flat();
  const ours = normalForm(entries);
  for (const [operation, lines] of Object.entries(ours)) {
    if (same.includes(operation)) {
      assert.deepEqual(lines.sort(), theirs[operation].sort(), operation);
    } else if (!operation.startsWith('(')) {  // those in brackets the SDK has not
      assert.deepEqual(lines.filter((line) => !all.includes(line)), [], operation);
    }
  }
}

module.exports = { compareRequests };
