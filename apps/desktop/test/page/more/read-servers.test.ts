import { expect, it } from 'vitest';
import { readServers } from '../../../page/src/more/read-servers.ts';

it('reads the servers of each client, with what is taken and what is left out of each', () => {
  const vscode = {
    servers: {
      hub: {
        type: 'http',
        url: 'https://hub.example.com/mcp',
        headers: { Authorization: `Bearer \${input:token}`, 'X-Team': 'red' },
      },
      local: { type: 'stdio', command: 'node', args: ['a.js', 1], cwd: '/srv', env: { A: '1', B: '2' } },
    },
  };
  expect(readServers(JSON.stringify(vscode))).toEqual([
    {
      name: 'hub',
      adding: { url: 'https://hub.example.com/mcp', headers: { 'X-Team': 'red' } },
      left: [expect.stringMatching(/^Header Authorization: the other client fills in/)],
    },
    {
      name: 'local',
      adding: { command: 'node', args: ['a.js'], name: 'local', folder: '/srv', variables: ['A', 'B'] },
      left: [expect.stringMatching(/^Values of A, B: /)],
    },
  ]);
  expect(readServers('{ "context_servers": { "zed": { "url": "http://localhost:1/mcp" } } }')).toEqual([
    { name: 'zed', adding: { url: 'http://localhost:1/mcp' }, left: [] },
  ]);
});

it('says why an entry is no server, and tells other text from JSON', () => {
  const servers = {
    a: 1,
    b: { url: 'no address' },
    c: {},
    d: { serverUrl: 'https://d.example/', alwaysAllow: [] },
  };
  expect(readServers(JSON.stringify(servers))).toEqual([
    { name: 'a', adding: null, left: ['It is no object.'] },
    { name: 'b', adding: null, left: ['Its url is no address.'] },
    { name: 'c', adding: null, left: ['It has no url and no command.'] },
    {
      name: 'd',
      adding: { url: 'https://d.example/' },
      left: ['alwaysAllow: a setting of the other client.'],
    },
  ]);
  for (const text of ['', 'npx server', '[]', '"x"']) expect(readServers(text)).toBe(null);
});
