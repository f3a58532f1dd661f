// From nothing to an agent's tool call on an app inside a company, and the end of a user's access, by the docs: a program that
// test/company.test.ts starts in network and mount namespaces of its own. It prints a line for each step.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:https';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { ask } from '../../../apps/desktop/test/support/ask.ts';
import { openAuthority } from './authority.ts';
import { fieldsOf, openBrowser } from './browser.ts';
import { cpuSeconds } from './cpu-seconds.ts';
import { type Account, openIdentityProvider, SCOPE } from './identity-provider.ts';
import { isolate, PORTS, type ProxyName, startServices, storeProxy } from './machine.ts';
import { openPage } from './page.ts';
import { begin, run, step, until } from './programs.ts';
import { openMailServer, openMcpServers } from './servers.ts';

const DOCS = join(import.meta.dirname, '../../../docs');
const DEPLOY = join(DOCS, '../deploy');
const STORE = 'https://apps.example.com';
const ISSUER = 'https://id.acme.example';
const SCIM_TOKEN = 'scim-0123456789-0123456789-0123456789';
const CA = '/etc/ssl/certs/corp.pem';
const APP = 'com.example.directory';

const DESKS = 'com.example.desks';
const APP_CLIENT = 'apps';

const [folder = '', caFolder = '', proxyName = '', bin = ''] = process.argv.slice(2);
/** The store as `npm install --global` has installed it. */
process.env.PATH = `${bin}:${process.env.PATH}`;

const REQUESTS = 4_000;

/** Requests the details of an app through the proxy, by 16 connections. All must succeed. @returns how many a second */
async function read(headers: Record<string, string>): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const from = performance.now();
  let left = REQUESTS;
  const client = async () => {
    for (; left > 0; left -= 1) {
      await new Promise<void>((done, fail) => {
        get(`${STORE}/api/apps/${APP}`, { agent, headers }, (answer) => {
          if (answer.statusCode !== 200) fail(new Error(`A reader got ${answer.statusCode}.`));
          answer.resume().on('end', done);
        }).on('error', fail);
      });
    }
  };
  await Promise.all(Array.from({ length: 16 }, client));
  agent.destroy();
  return Math.round(REQUESTS / ((performance.now() - from) / 1000));
}

/**
 * What a request costs, in microseconds of processor time of each part. Requests a second say little here: the client, the proxy, the database
 * and the store share the processors of one machine.
 */
async function costOf(stores: readonly (number | undefined)[], headers: Record<string, string>) {
  const parts = {
    store: stores.map(Number),
    ...{ database: 'postgres', proxy: proxyName, client: [process.pid] },
  };
  const seconds = () => Object.entries(parts).map(([name, which]) => [name, cpuSeconds(which)] as const);
  const before = new Map(seconds());
  const perSecond = await read(headers);
  const cost = seconds().map(([name, after]) => {
    const spent = after - (before.get(name) ?? 0);
    return [name, Math.round((spent / REQUESTS) * 1e6)];
  });
  return { ...Object.fromEntries(cost), perSecond } as Record<string, number>;
}

/** The code block of a page of the docs that contains a text. */
function blockOf(page: string, contained: string): string {
  for (const [, block = ''] of readFileSync(join(DOCS, page), 'utf8').matchAll(
    /^ *```\w+\n([\s\S]*?)^ *```$/gm,
  ))
    if (block.includes(contained)) return block.replace(/^ +(?=[A-Z])/gm, '');
  throw new Error(`No block of docs/${page} contains ${contained}.`);
}

const accounts = new Map<string, Account>([
  ['ada', { email: 'ada@acme.example', name: 'Ada Admin', groups: ['svc-admins'] }],
  ['dora', { email: 'dora@acme.example', name: 'Dora Developer', groups: [] }],
  ['ben', { email: 'ben@acme.example', name: 'Ben Buyer', groups: ['svc-reviewers'] }],
]);

const [acme] = JSON.parse(blockOf('users.md', '"issuer"').replaceAll('…', 'a-secret-0123456789-0123456789'));
const { groups } = JSON.parse(blockOf('users.md', '"svc-admins"'));

// The company, before it has a store.
isolate(folder, join(caFolder, 'ca.pem'));
const authority = openAuthority(join(folder, 'issued'), caFolder);
const { others, s3 } = await startServices(folder, authority, 'password');
const mails = openMailServer(authority);
const provider = await openIdentityProvider({
  ...{ issuer: ISSUER, port: PORTS.provider, store: STORE, accounts },
  client: { id: acme.id, clientId: acme.clientId, clientSecret: acme.clientSecret },
  appClient: APP_CLIENT,
});
const called = await openMcpServers(PORTS.mcp, ISSUER, provider.accountOf);
begin(folder, others);
begin(folder, storeProxy(proxyName as ProxyName, folder, authority));
await until('nginx answers', async () => (await fetch(`${ISSUER}/.well-known/openid-configuration`)).ok);
const internet = await fetch('https://1.1.1.1/').then(
  () => 'reached',
  (error) => error.cause.code,
);
step('the company', { internet });

// docs/operating.md, steps 2 to 5, and docs/company.md.
const networks = /SVC_PRIVATE_NETWORKS=.*/.exec(blockOf('company.md', 'SVC_PRIVATE_NETWORKS='))?.[0];
const settings = blockOf('operating.md', 'SVC_BASE_URL')
  .replace('AWS_ACCESS_KEY_ID=…', `AWS_ACCESS_KEY_ID=${s3.accessKeyId}`)
  .replace('AWS_SECRET_ACCESS_KEY=…', `AWS_SECRET_ACCESS_KEY=${s3.secretAccessKey}`);
const company = ['SVC_READ=members', 'SVC_SIGN_UP=invited', 'SVC_PUBLISHERS=approved', `SVC_CA_FILE=${CA}`];
const rules = { allowedDomains: ['acme.example'], ssoOnly: true, scim: { token: SCIM_TOKEN } };
const signIn = [{ ...acme, ...rules, groups: { ...groups, publishers: {} } }];
mkdirSync('/etc/svc-store', { mode: 0o700 });
writeFileSync('/etc/svc-store/settings.env', [settings.trim(), ...company, networks, ''].join('\n'), {
  mode: 0o600,
});
writeFileSync('/etc/svc-store/sign-in.json', JSON.stringify(signIn), { mode: 0o600 });
const storeCommand = (name: string, words: string[], env: Record<string, string> = {}) => ({
  ...{ name, file: 'svc-store', words },
  env: { SVC_SETTINGS_FILE: '/etc/svc-store/settings.env', ...env },
});
/** The unit of the docs, with its lines for the sign-in file: what systemd starts, and the environment, with its credentials. */
function unit(env: Record<string, string>) {
  const text = readFileSync(join(DEPLOY, 'svc-store.service'), 'utf8').replace(/^#(?=\w+=.*sign-in)/gm, '');
  const values = (key: string) =>
    Array.from(text.matchAll(new RegExp(`^${key}=(.*)$`, 'gm')), ([, value = '']) => value);
  const credentials = join(folder, 'credentials');
  mkdirSync(credentials, { recursive: true, mode: 0o700 });
  for (const line of values('LoadCredential')) {
    const [name = '', from = ''] = line.split(':');
    cpSync(from, join(credentials, name));
  }
  const pairs = values('Environment').flatMap((line) => line.replaceAll('%d', credentials).split(' '));
  const [file = '', ...words] = values('ExecStart').flatMap((line) => line.split(' '));
  return { file, words, env: { ...Object.fromEntries(pairs.map((pair) => pair.split('='))), ...env } };
}
// docs/deployment.md: a key that the processes may only read, as a Secret of Kubernetes.
const KEYS = '/var/lib/svc-store-keys';
const openssl =
  /openssl (genpkey .*) -out signing-key\.pem/.exec(blockOf('deployment.md', 'genpkey'))?.[1] ?? '';
/** Shows a folder with the key at the place where the store has it, read-only, and for the group too. */
function mountKeys(from: string, mode = 0o440): void {
  for (const name of readdirSync(from)) chmodSync(join(from, name), mode);
  execFileSync('mount', ['--bind', '-o', 'ro', from, KEYS]);
}
const firstKeys = join(folder, 'keys-1');
for (const made of [KEYS, firstKeys]) mkdirSync(made, { mode: 0o700 });
execFileSync('openssl', [...openssl.split(' '), '-out', join(firstKeys, 'signing-key.pem')]);
mountKeys(firstKeys, 0o444);
const open = await begin(folder, storeCommand('open-key', ['prepare'])).ended;
step('a key that every user may read', { refused: [open.code, /Other users may read/.test(open.said)] });
execFileSync('umount', [KEYS]);
mountKeys(firstKeys);
const commands = [...readFileSync(join(DOCS, 'operating.md'), 'utf8').matchAll(/`svc-store ([^`]+)`/g)];
for (const [, words = ''] of commands) await run(folder, storeCommand('svc-store', words.split(' ')));
step('settings, bucket, tables and key', { commands: commands.map(([, words]) => words), mails });
const SECOND = { PORT: '8788', SVC_DATA_DIR: '/var/lib/svc-store-2' };
const startProcess = (at: number) => begin(folder, { name: `store-${at}`, ...unit(at === 1 ? {} : SECOND) });
const processes = [startProcess(1), startProcess(2)];
await Promise.all(processes.map(({ says }) => says(/"port":/)));
await until('the store answers through its proxy', async () => (await fetch(`${STORE}/readyz`)).ok);
step(`two processes behind ${proxyName}`);

// The identity provider adds its users; a group of its claim makes the administrator.
const scim = (method: string, path: string, json: object) =>
  fetch(`${STORE}/scim/${acme.id}/v2/${path}`, {
    method,
    headers: { authorization: `Bearer ${SCIM_TOKEN}`, 'content-type': 'application/scim+json' },
    body: JSON.stringify(json),
  });
const ids = new Map<string, string>();
for (const [account, { email, name }] of accounts) {
  const answer = await scim('POST', 'Users', {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    ...{ userName: email, displayName: name, externalId: account, emails: [{ value: email, primary: true }] },
  });
  if (answer.status !== 201) throw new Error(`SCIM: ${answer.status} ${await answer.text()}`);
  ids.set(account, ((await answer.json()) as { id: string }).id);
}
const browserOf = (account: string) => openBrowser(STORE, ISSUER, account);
const [ada, dora, ben] = [browserOf('ada'), browserOf('dora'), browserOf('ben')];
for (const browser of [ada, dora, ben]) {
  const { url, status, text } = await browser.go(`/sign-in/${acme.id}?next=/account`);
  if (url.pathname !== '/account') throw new Error(`${url} answers ${status}: ${text}`);
}
const { role } = await ada.call<{ role: string }>('GET', '/api/people/me');
step('users by SCIM, and an administrator by a group', { role });

await ada.go('/admin/publishers');
await ada.call('POST', '/api/admin/publishers', { slug: 'tools', name: 'Tools', owner: 'dora@acme.example' });
step('a publisher with an owner');

// The computer of the developer: /cli and docs/company.md.
mkdirSync('/etc/svc', { mode: 0o755 });
writeFileSync('/etc/svc/managed.json', blockOf('company.md', '"privateNetworks"'), { mode: 0o644 });
const prefix = join(folder, 'npm');
const home = (name: string) => ({ HOME: join(folder, name), SVC_STORE: STORE });
for (const name of ['dora', 'ben']) mkdirSync(join(folder, name), { mode: 0o700 });
const [, option] = /npm install --global (\S+) \S+cli\.tgz/.exec(blockOf('company.md', 'cli.tgz')) ?? [];
await run(folder, {
  ...{ name: 'npm', file: 'npm', env: { ...home('dora'), NODE_EXTRA_CA_CERTS: CA } },
  words: ['install', '--global', '--prefix', prefix, String(option), `${STORE}/cli.tgz`],
});
step('the command line, installed from the store');

const svcOf =
  (name: string) =>
  (words: string[], env: Record<string, string> = {}) =>
    begin(folder, {
      name: `${name}-${words[0]}`,
      file: join(prefix, 'bin/svc'),
      words,
      env: { ...home(name), ...env },
    });
/** Signs a command line in: the browser of its user approves the code. */
async function logIn(svc: ReturnType<typeof svcOf>, browser: typeof ada, words: string[]) {
  const login = svc(['login', '--no-browser', ...words]);
  const code = (await login.says(/\|\s+((?:[A-Z] ){4}- (?:[A-Z] ){4})\s+\|/)).replaceAll(' ', '');
  await browser.go('/device');
  const page = await browser.go('/device', { form: { code } });
  const answered = await browser.go('/device/answer', {
    form: { ...fieldsOf(page.text), answer: 'approve' },
  });
  if (answered.status !== 200) throw new Error(`/device/answer: ${answered.status} ${answered.text}`);
  const { code: exit, said } = await login.ended;
  if (exit !== 0) throw new Error(said);
}
const developer = svcOf('dora');
await logIn(developer, dora, []);
step('svc login');
const done = async (program: ReturnType<typeof developer>) => {
  const { code, said } = await program.ended;
  if (code !== 0) throw new Error(said);
  return said;
};
await done(
  developer([
    'init',
    'app',
    '--from',
    'https://mcp.corp.example/mcp',
    '--publisher',
    'tools',
    '--id',
    APP,
    ...['--name', 'Directory', '--description', 'Finds colleagues and their desks.', '--yes'],
  ]),
);
const published = await done(developer(['publish', 'app']));
step('svc init and svc publish of an internal app', { published: published.includes('in review') });
// docs/ci.md: a merge request of a fork has no token. Nor has a user of this machine who is not signed in.
const fork = svcOf('fork');
mkdirSync(join(folder, 'fork'), { mode: 0o700 });
await done(fork(['validate', 'app']));
await done(fork(['publish', 'app', '--dry-run']));
step('svc validate and svc publish --dry-run without a token');
// An app whose server needs an account at the provider, which registers no clients by itself: the manifest names one.
const imported = [
  'init',
  'desks',
  '--from',
  'https://mcp.corp.example/desks',
  '--publisher',
  'tools',
  '--id',
  DESKS,
];
const about = ['--name', 'Desks', '--description', 'Books desks.', '--yes'];
await done(developer([...imported, ...about], { SVC_MCP_TOKEN: await provider.tokenFor('dora') }));
const manifestFile = join(folder, 'desks/plugin.json');
const manifest = JSON.parse(readFileSync(manifestFile, 'utf8'));
for (const account of manifest.accounts) Object.assign(account, { clientId: APP_CLIENT, scopes: [SCOPE] });
writeFileSync(manifestFile, JSON.stringify(manifest));
await done(developer(['publish', 'desks']));
step('svc init and svc publish of an app with account sign-in');
await ada.go('/moderation');
for (const app of [APP, DESKS])
  await ada.call('POST', `/api/moderation/apps/${app}/versions/0.1.0/approve`, {});
step('a moderator approves');

// The computer of a user: one sign-in for the command line, the desktop and its agents.
const user = svcOf('ben');
await logIn(user, ben, ['--scope', 'read']);
// What opens pages in the browser of a user: a link of the desktop, and later the page of a sign-in.
const programs = join(folder, 'ben/bin');
mkdirSync(programs);
writeFileSync(
  join(programs, 'xdg-open'),
  '#!/bin/sh\ncat "$(echo "$1" | cut -c8-)" >> "$HOME/opened.html"\n',
  {
    mode: 0o755,
  },
);
const desktop = user(['desktop'], { DISPLAY: ':0', PATH: `${programs}:${process.env.PATH}` });
const link = new URL(await desktop.says(/Desktop: (http\S+)/));
const page = await openPage(link);
const inside: string[][] = [];
for (const appId of [APP, DESKS]) {
  const { sheetId, sheet } = await page<{ sheetId: string; sheet: { binding: string; inside: string[] } }>(
    'store.prepare',
    { appId },
  );
  await page('store.install', { sheetId, answer: { accepted: true, binding: sheet.binding } });
  inside.push(sheet.inside);
}
step('svc login, svc desktop and the installation of the apps', { inside });

await done(user(['connect', 'claude-code', '--yes']));
const { mcpServers } = JSON.parse(readFileSync(join(folder, 'ben/.claude.json'), 'utf8'));
const { command, args } = mcpServers.svc as { command: string; args: string[] };
const agent = new Client(
  { name: 'claude-code', version: '1' },
  { capabilities: { elicitation: { form: {}, url: {} } } },
);
let accountPage: string | null = null;
agent.setRequestHandler('elicitation/create', async ({ params }) => {
  if (!('url' in params)) return { action: 'accept', content: { approve: true } };
  accountPage = params.url;
  return { action: 'accept' };
});
const { HOME } = home('ben');
const transport = new StdioClientTransport({
  command,
  args,
  env: { HOME, PATH: process.env.PATH ?? '' },
  cwd: HOME,
});
await agent.connect(transport);
const tool = { name: 'com_example_directory__find_colleague', arguments: { name: 'Cem' } };
const answer = await agent.callTool(tool);
step('svc connect claude-code, and a tool call of the agent', { answer, called });

// The account: the agent shows the link, the user agrees on the page of the desktop, and signs in at the provider.
const booking = agent.callTool({ name: 'com_example_desks__book_desk', arguments: { name: 'Cem' } });
await until('the agent gets the link of the sign-in', () => accountPage !== null);
await fetch(String(accountPage), { method: 'POST', body: new URLSearchParams({ answer: 'yes' }) });
const opened = () => readFileSync(join(folder, 'ben/opened.html'), 'utf8');
await until('the page of the provider opens', () => opened().includes(`href="${ISSUER}`));
const [, signInPage = ''] = new RegExp(`href="(${ISSUER}[^"]+)"`).exec(opened()) ?? [];
const back = await ben.go(signInPage.replaceAll('&#38;', '&'));
step('a tool call with an account', { back: [back.url.pathname, back.status], booking: await booking });

// docs/backup.md: a rotation on a copy of the key, and a rolling restart with it.
const copy = join(folder, 'keys-2');
cpSync(KEYS, copy, { recursive: true });
await run(
  folder,
  storeCommand('rotate', ['keys', 'rotate'], { SVC_SIGNING_KEY_FILE: join(copy, 'signing-key.pem') }),
);
mountKeys(copy);
for (const [at, old] of processes.entries()) {
  old.child.kill('SIGTERM');
  await old.ended;
  processes[at] = startProcess(at + 1);
  await processes[at]?.says(/"port":/);
}
await done(developer(['verify', `${APP}@0.1.0`]));
const { keys } = (await (await fetch(`${STORE}/api/apps/public-keys`)).json()) as { keys: object[] };
step('a new signing key, by a copy, and a rolling restart', { keys: keys.length });

// Offboarding: the identity provider deactivates the user, as docs/users.md says, and each process is asked from then on.
const { stores } = JSON.parse(readFileSync(join(folder, 'ben/.config/svc/credentials.json'), 'utf8'));
const bearer = { authorization: `Bearer ${stores[STORE].token}` };
const cookie = { cookie: ben.cookie() };
const ACCESS = [
  ['session', '/api/people/me', cookie],
  ['role', '/api/moderation/queue', cookie],
  ['token', '/api/developer/whoami', bearer],
  ['reading', `/api/apps/${APP}`, bearer],
] as const;
const statuses = async () =>
  Promise.all(
    [8787, 8788].flatMap((port) =>
      ACCESS.map(async ([, path, headers]) => {
        const { status } = await ask(port, { path, headers: { host: new URL(STORE).host, ...headers } });
        return status;
      }),
    ),
  );
const before = await statuses();
const removal = scim('PATCH', `Users/${ids.get('ben')}`, {
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations: [{ op: 'replace', path: 'active', value: false }],
});
const noAccess = await until('no process gives access', async () =>
  (await statuses()).every((status) => status === 401),
);
const removed = (await removal).status;
await ada.go('/admin/audit');
const { entries } = await ada.call<{ entries: object[] }>(
  'GET',
  '/api/admin/audit?action=person.change&limit=1',
);
step('a user removed at the provider has no access', { before, removed, noAccess, audit: entries[0] });
const after = await agent.callTool(tool);
const search = await page('store.search', {}).catch((error: Error) => error.message);
const again = await ben.go(`/sign-in/${acme.id}`);
step('what the computer of the removed user still does', { after, search, again: again.status });

// A user who signs out at the provider.
const from = performance.now();
const signedIn = async () =>
  await dora.call('GET', '/api/people/me').then(
    () => true,
    () => false,
  );
const wasSignedIn = await signedIn();
await provider.logOut('dora');
await until('the session has ended', async () => !(await signedIn()));
step('a sign-out at the provider', { wasSignedIn, noSession: (performance.now() - from) / 1000 });

// What a request costs with two processes and with one.
const credentials = JSON.parse(readFileSync(join(folder, 'dora/.config/svc/credentials.json'), 'utf8'));
const reader = { authorization: `Bearer ${credentials.stores[STORE].token}` };
const pids = processes.map(({ child }) => child.pid);
// The first measurement only warms the new processes up.
await read(reader);
const two = await costOf(pids, reader);
processes[1]?.child.kill('SIGTERM');
const ended = await processes[1]?.ended;
const one = await costOf(pids.slice(0, 1), reader);
step('what a request costs', { cost: { two, one }, exit: ended?.code });
process.exit(0);
