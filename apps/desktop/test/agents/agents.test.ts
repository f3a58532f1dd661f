import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse as parseJsonc } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { createAgents } from '../../src/agents/agents.ts';
import { AGENT_IDS, AGENTS, type AgentId, entryFor, type GatewayTarget } from '../../src/agents/entry.ts';
import { stdioTarget } from '../../src/agents/launch.ts';
import { changeText } from '../../src/commands/connect.ts';

const SECRET = 'a-bearer-of-a-test';

function open(
  target: (agent: AgentId) => GatewayTarget = (agent) =>
    stdioTarget(agent, ['/usr/bin/node', '/svc/main.ts'], { folder: '/d "x"' }),
) {
  const home = mkdtempSync(path.join(tmpdir(), 'svc-agents-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const places = { home, env: {} };
  const agents = createAgents({ places, undoFile: path.join(home, 'undo', 'agents.json'), target });
  const fileOf = (agent: AgentId) => AGENTS[agent].file(places);
  const write = (agent: AgentId, text: string | Uint8Array) => {
    mkdirSync(path.dirname(fileOf(agent)), { recursive: true });
    writeFileSync(fileOf(agent), text);
  };
  const read = (agent: AgentId) => readFileSync(fileOf(agent), 'utf8');
  return { home, agents, fileOf, write, read };
}

/** Parses the servers in a file, as the agent does. */
const serversIn = (agent: AgentId, text: string): Record<string, unknown> => {
  if (AGENTS[agent].format === 'yaml') return parseYaml(text)?.[AGENTS[agent].servers] ?? {};
  if (agent === 'codex')
    return (parseToml(text, { integersAsBigInt: 'asNeeded' }).mcp_servers ?? {}) as Record<string, unknown>;
  const all = parseJsonc(text, [], { allowTrailingComma: true });
  return (agent === 'opencode' ? (all.mcp?.servers ?? all.mcp) : all[AGENTS[agent].servers]) ?? {};
};

const JSON_FILES = {
  'two servers':
    '{\n  "mcpServers": {\n    "github": {\n      "command": "gh-mcp"\n    }\n  },\n  "theme": "dark"\n}\n',
  'no servers yet': '{\n\t"numStartups": 12,\n\t"projects": {}\n}',
  'comments and trailing commas':
    '// mine\n{\n  /* look */ "theme": "dark", // yes\n  "mcpServers": { // servers\n    // about github\n    "github": { "command": "x", }, // kept\n  },\n}\n',
  'on one line': '{"mcpServers":{"a":{"command":"b"}},"z":1}',
  'an empty list of servers': '{ "mcpServers": {} }',
  'an empty list on lines': '{\r\n    "mcpServers": {\r\n    }\r\n}\r\n',
  CRLF: '{\r\n  "theme": "dark",\r\n  "mcpServers": {\r\n    "a": {}\r\n  }\r\n}\r\n',
  'an empty object': '{}',
  nothing: '',
  'a comment where fields would be': '{\n  // nothing yet\n}\n',
  'an old entry of ours': '{\n  "mcpServers": {\n    "svc": { "command": "old" },\n    "b": {}\n  }\n}\n',
} as const;

const TOML_FILES = {
  'other servers':
    'model = "o3" # mine\n\n[mcp_servers.github]\ncommand = "gh-mcp"\nargs = ["a"]\n\n# about profiles\n[profiles.x]\nmodel = "o4"\n',
  'CRLF without a last line end': 'model = "o3"\r\n\r\n[mcp_servers."a.b"]\r\ncommand = "x"',
  'a header within a text': 'note = """\n[mcp_servers.svc]\ncommand = "no"\n"""\n',
  'an old entry of ours, with tables in it':
    '[mcp_servers.svc]\ncommand = "old"\n[mcp_servers.svc.env]\nA = "1"\n\n# next\n[tui]\ntheme = "x"\n',
  'numbers and dates': 'a = 9007199254740993\nb = 1979-05-27T07:32:00Z\nc = [1.0, 2.5]\n',
  nothing: '',
};

const YAML_FILES = {
  'other servers':
    'GOOSE_MODEL: x # mine\n\nextensions:\n    # about the developer\n    developer:\n        enabled: true\n        type: builtin\n\n# about the rest\nGOOSE_MODE: auto\n',
  'CRLF without a last line end': 'a: 1\r\nextensions: # servers\r\n  b:\r\n    enabled: false',
  'no servers yet': 'a: "x"\nb: [1, 2]\n',
  'an old entry of ours': 'extensions:\n  svc:\n    cmd: "old"\n  b:\n    args:\n      - x\n',
  'a text that looks like a header': 'note: |\n  extensions:\n    svc: no\n',
  nothing: '',
};

const FILES = { json: JSON_FILES, toml: TOML_FILES, yaml: YAML_FILES };

/** One agent of each kind of entry: the others have the same files under other keys. */
const EACH_FILE: readonly AgentId[] = ['claude-code', 'codex', 'opencode', 'vscode', 'goose'];

const CASES = EACH_FILE.flatMap((agent) =>
  Object.entries(FILES[AGENTS[agent].format]).map(([what, text]) => ({
    agent,
    what,
    text: text.replace('mcpServers', AGENTS[agent].servers),
  })),
);

describe('connecting an agent', () => {
  it.each(CASES)(
    '$agent: $what: adds one server, and restores the same bytes when it is removed',
    async ({ agent, text }) => {
      const { agents, write, read } = open();
      write(agent, text);
      const others = Object.entries(text === '' ? {} : serversIn(agent, text)).filter(
        ([name]) => name !== 'svc',
      );
      const preview = await agents.preview(agent, false);
      expect(read(agent)).toBe(text);
      expect(await agents.apply(agent, false, preview)).toMatchObject({ state: 'connected' });
      expect(read(agent)).toBe(preview.after);
      const servers = serversIn(agent, read(agent));
      expect(Object.entries(servers).filter(([name]) => name !== 'svc')).toEqual(others);
      expect(servers.svc).toEqual(
        entryFor(agent, stdioTarget(agent, ['/usr/bin/node', '/svc/main.ts'], { folder: '/d "x"' })),
      );
      // Comments, other lines and line endings are unchanged.
      for (const line of text
        .split(/(?<=\n)/)
        .filter((one) => /[#/"]/.test(one) && !/old|svc|mcp|servers|^A = /.test(one)))
        expect(read(agent)).toContain(line.trim());
      // A second connect changes nothing, and keeps the original file for the undo.
      expect((await agents.preview(agent, false)).after).toBe(read(agent));
      await agents.apply(agent, false);
      await agents.apply(agent, true);
      expect(read(agent)).toBe(text);
    },
  );

  it.each(AGENT_IDS)(
    '%s: creates a missing file, readable by its owner only, and removes it again',
    async (agent) => {
      const { agents, fileOf, read } = open();
      expect((await agents.list()).map(({ state }) => state)).toEqual(AGENT_IDS.map(() => 'not-connected'));
      await agents.apply(agent, false);
      expect(statSync(fileOf(agent)).mode & 0o777).toBe(0o600);
      expect(serversIn(agent, read(agent))).toHaveProperty('svc');
      await agents.apply(agent, true);
      expect(existsSync(fileOf(agent))).toBe(false);
    },
  );

  it.each(CASES.filter(({ what }) => !what.startsWith('an old entry') && what !== 'nothing'))(
    '$agent: $what: removes only its own server when the file was changed since',
    async ({ agent, text }) => {
      const { agents, write, read } = open();
      write(agent, text);
      await agents.apply(agent, false);
      const added = AGENTS[agent].format === 'json' ? '\n// added since\n' : '# added since\n';
      write(agent, read(agent) + (read(agent).endsWith('\n') ? '' : '\n') + added);
      await agents.apply(agent, true);
      expect(read(agent)).toContain('added since');
      expect(serversIn(agent, read(agent))).toEqual(serversIn(agent, text));
    },
  );

  it('removes its server at any position in the list, and leaves valid commas', async () => {
    const { agents, write, read } = open();
    for (const [before, after] of [
      ['{"mcpServers":{"a":1,"svc":{},"b":2}}', '{"mcpServers":{"a":1,"b":2}}'],
      ['{"mcpServers":{"a":1,"svc":{}}}', '{"mcpServers":{"a":1}}'],
      ['{"mcpServers":{"svc":{}}}', '{"mcpServers":{}}'],
      ['{"mcpServers":{\n  "a":1, // one\n  "svc":{}\n}}', '{"mcpServers":{\n  "a":1 // one\n}}'],
    ] as const) {
      write('cursor', before);
      await agents.apply('cursor', true);
      expect(read('cursor')).toBe(after);
    }
  });

  it.each([
    ['cursor', '{ "mcpServers": '],
    ['cursor', '[]'],
    ['cursor', '{ "mcpServers": [] }'],
    ['cursor', '{ "mcpServers": {}, "mcpServers": { "a": {} } }'],
    ['cursor', Buffer.from([0x7b, 0xff, 0x7d])],
    ['codex', '[mcp_servers.svc\n'],
    ['codex', 'mcp_servers = { svc = { command = "x" } }\n'],
    ['codex', '[mcp_servers]\nsvc.command = "x"\n'],
    ['goose', 'extensions: {}\nextensions: {}\n'],
    ['goose', 'extensions: { a: { cmd: x } }\n'],
    ['goose', '- a list\n'],
  ] as const)('does not change the file of %s when that is not safe: %s', async (agent, text) => {
    const { agents, write, fileOf } = open();
    write(agent, text);
    await expect(agents.apply(agent, false)).rejects.toThrow('was not changed');
    expect(readFileSync(fileOf(agent))).toEqual(Buffer.from(text));
    expect(readFileSync(fileOf(agent)).length).toBe(Buffer.from(text).length);
  });

  it('keeps the file mode, and follows symbolic links, also to a missing file, but not in a loop', async () => {
    const { agents, write, fileOf, home } = open();
    write('cursor', '{}');
    chmodSync(fileOf('cursor'), 0o640);
    await agents.apply('cursor', false);
    expect(statSync(fileOf('cursor')).mode & 0o777).toBe(0o640);

    mkdirSync(path.join(home, 'dotfiles'));
    mkdirSync(path.join(home, '.codex'));
    symlinkSync('../dotfiles/codex.toml', fileOf('codex'));
    await agents.apply('codex', false);
    expect(lstatSync(fileOf('codex')).isSymbolicLink()).toBe(true);
    expect(readFileSync(path.join(home, 'dotfiles', 'codex.toml'), 'utf8')).toContain('[mcp_servers.svc]');
    rmSync(fileOf('codex'));
    symlinkSync(fileOf('codex'), fileOf('codex'));
    await expect(agents.apply('codex', false)).rejects.toThrow('was not changed');
  });

  it('makes a file that gets a bearer private, and says so; it refuses the file of another user', async ({
    skip,
  }) => {
    skip(process.platform === 'win32', 'needs the modes of files');
    const { agents, write, fileOf } = open(() => ({
      kind: 'http',
      url: 'http://localhost:1/mcp',
      bearer: SECRET,
    }));
    for (const agent of AGENT_IDS.filter((id) => AGENTS[id].http !== null)) {
      write(agent, '');
      chmodSync(fileOf(agent), 0o664);
      expect(await agents.preview(agent, false)).toMatchObject({ becomesPrivate: true });
      await agents.apply(agent, false);
      expect(statSync(fileOf(agent)).mode & 0o777).toBe(0o600);
      // A file that has the entry already, and was opened to others since.
      chmodSync(fileOf(agent), 0o644);
      expect(await agents.preview(agent, false)).toMatchObject({ becomesPrivate: true });
      await agents.apply(agent, false);
      expect(statSync(fileOf(agent)).mode & 0o777).toBe(0o600);
      expect(await agents.preview(agent, true)).toMatchObject({ becomesPrivate: false });
    }
    if (process.getuid?.() !== 0) return;
    write('cursor', '{}');
    chownSync(fileOf('cursor'), 65_534, 65_534);
    await expect(agents.apply('cursor', false)).rejects.toThrow('belongs to another user');
  });

  it('renews the bearer and the address of entries with an earlier bearer, and leaves all other files', async () => {
    const [old, now] = ['o'.repeat(43), 'n'.repeat(43)];
    const { agents, write, read, fileOf } = open((agent) =>
      agent === 'cursor'
        ? stdioTarget(agent, ['/usr/bin/node'], { folder: '/d' })
        : { kind: 'http', url: `http://localhost:1/mcp?provider=${agent}`, bearer: old },
    );
    const others = '{ "mcpServers": { "other": { "url": "http://localhost:1/mcp", "headers": {} } } }';
    for (const id of ['cursor', 'kiro', 'claude-code', 'codex', 'goose'] as const) {
      write(id, AGENTS[id].format === 'json' ? others : '');
      if (id !== 'kiro') await agents.apply(id, false);
    }
    const untouched = [read('cursor'), read('kiro')];
    expect(await agents.renew(['e'.repeat(43), old], { origin: 'http://localhost:2', bearer: now })).toEqual(
      [],
    );
    expect([read('cursor'), read('kiro')]).toEqual(untouched);
    for (const id of ['claude-code', 'codex', 'goose'] as const) {
      expect(read(id)).toContain(now);
      expect(read(id)).not.toContain(old);
      expect(read(id)).toContain(`http://localhost:2/mcp?provider=${id}`);
      expect(statSync(fileOf(id)).mode & 0o077).toBe(0);
      await agents.apply(id, true);
      expect(read(id)).toBe(AGENTS[id].format === 'json' ? others : '');
    }
    write('claude-code', `{ "mcpServers": { "svc": { "headers": "${now}" } } `);
    expect(await agents.renew([now], { origin: 'http://localhost:2', bearer: old })).toMatchObject([
      { message: expect.stringContaining('was not changed') },
    ]);
  });

  it('refuses to write when the file changed after the preview', async () => {
    const { agents, write, read } = open();
    write('cursor', '{}');
    const preview = await agents.preview('cursor', false);
    write('cursor', '{ "a": 1 }');
    await expect(agents.apply('cursor', false, preview)).rejects.toThrow('has changed since the preview');
    expect(read('cursor')).toBe('{ "a": 1 }');
  });

  it('finds what is installed by its file, the folder of its file, or its program', async () => {
    const { agents, write, home } = open();
    const installed = async () => (await agents.list()).flatMap((one) => (one.installed ? [one.id] : []));
    expect(await installed()).toEqual([]);
    mkdirSync(path.join(home, '.kiro', 'settings'), { recursive: true });
    write('claude-code', '{}');
    expect(await installed()).toEqual(['claude-code', 'kiro']);
  });

  it('says that an agent which starts programs only cannot connect by HTTP', async () => {
    const { agents } = open(() => ({ kind: 'http', url: 'http://localhost:1/mcp', bearer: SECRET }));
    await expect(agents.apply('claude-desktop', false)).rejects.toThrow('Connect without --http');
  });

  it('uses the newer format of opencode when the file does', async () => {
    const { agents, write, read } = open();
    write('opencode', '{ "mcp": { "servers": { "a": { "type": "local", "command": ["x"] } } } }');
    await agents.apply('opencode', false);
    expect(Object.keys(JSON.parse(read('opencode')).mcp.servers).sort()).toEqual(['a', 'svc']);
    // A server named "servers" is not the list of servers.
    write('opencode', '{ "mcp": { "servers": { "type": "local", "command": ["x"] } } }');
    await agents.apply('opencode', false);
    expect(Object.keys(JSON.parse(read('opencode')).mcp).sort()).toEqual(['servers', 'svc']);
  });

  it('writes the file of the build of VS Code that is there', () => {
    const { home, fileOf } = open();
    const usual = fileOf('vscode');
    expect(usual).toBe(path.join(home, '.config/Code/User/mcp.json'));
    mkdirSync(path.join(home, '.config/VSCodium/User'), { recursive: true });
    expect(fileOf('vscode')).toBe(path.join(home, '.config/VSCodium/User/mcp.json'));
    mkdirSync(path.dirname(usual), { recursive: true });
    expect(fileOf('vscode')).toBe(usual);
  });

  it('writes the file that Cline has: the shared one, or that of an older extension alone', async () => {
    const { home, agents, fileOf, read } = open();
    const old = fileOf('cline').replace(
      /\.cline.*$/,
      '.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json',
    );
    mkdirSync(path.dirname(old), { recursive: true });
    writeFileSync(old, '{ "mcpServers": {} }');
    expect(fileOf('cline')).toBe(old);
    const shared = path.join(home, '.cline/data/settings/cline_mcp_settings.json');
    mkdirSync(path.dirname(shared), { recursive: true });
    writeFileSync(shared, '{}');
    await agents.apply('cline', false);
    expect(Object.keys(serversIn('cline', read('cline')))).toEqual(['svc']);
    expect(readFileSync(old, 'utf8')).toBe('{ "mcpServers": {} }');
    const [elsewhere, folder] = ['/elsewhere/mcp.json', path.join(home, 'other')];
    expect(AGENTS.cline.file({ home, env: { CLINE_MCP_SETTINGS_PATH: elsewhere } })).toBe(elsewhere);
    expect(AGENTS.cline.file({ home: '/elsewhere', env: { CLINE_DIR: folder } })).toBe(
      path.join(folder, 'data/settings/cline_mcp_settings.json'),
    );
  });

  it('shows the changed lines, without the bearer token', async () => {
    const { agents, write } = open(() => ({ kind: 'http', url: 'http://localhost:1/mcp', bearer: SECRET }));
    write('gemini-cli', '{\n  "theme": "dark"\n}\n');
    const preview = await agents.preview('gemini-cli', false);
    expect(JSON.parse(preview.after).mcpServers.svc).toEqual({
      httpUrl: 'http://localhost:1/mcp',
      headers: { Authorization: `Bearer ${SECRET}` },
    });
    const shown = changeText(preview, SECRET);
    expect(shown).toContain('+       "httpUrl": "http://localhost:1/mcp",');
    expect(shown).toContain('    "theme": "dark"');
    expect(shown).not.toContain(SECRET);
  });
});
