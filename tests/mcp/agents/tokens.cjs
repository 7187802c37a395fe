// How much of a model's context the list of tools takes:   node tokens.cjs MOST
'use strict';

const assert = require('node:assert/strict');
const { encode } = require(`${process.env.TALARIA_CLIENT_MODULES}/gpt-tokenizer/cjs/encoding/o200k_base.js`);
const { connect, drive } = require('../clients/connect.cjs');

drive(async (most) => {
  const server = await connect('v1');
  const { tools } = await server.client.listTools();
  await server.close();
  const sizes = tools.map((tool) => `${tool.name} ${encode(JSON.stringify(tool)).length}`);
  const all = encode(JSON.stringify(tools)).length;
  assert.ok(!tools.some((tool) => tool.name === 'web_search'), 'no search engine is configured');
  assert.ok(all <= Number(most), `${all} tokens, at most ${most}: ${sizes.join(', ')}`);
});
