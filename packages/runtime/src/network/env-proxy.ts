import { statSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import { win32 } from 'node:path';
import { unbracketed } from '@svc/contracts/this-machine';
import { systemPolicies } from './policy-store.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The file with the settings of a machine, in a folder of its platform that only administrators may write. */
export function machineFile(platform: NodeJS.Platform, env: Env): string {
  if (platform === 'darwin') return '/Library/Application Support/svc/managed.json';
  if (platform !== 'win32') return '/etc/svc/managed.json';
  return win32.join(env.ProgramData || 'C:\\ProgramData', 'svc', 'managed.json');
}

/**
 * Whether the operator of a machine has set anything. Few machines have it: a start without it loads no module that reads it.
 * @param file the settings of the machine (`machineFile`)
 * @throws TypeError when the policies of the system cannot be used
 */
export const hasMachineSettings = (platform: NodeJS.Platform, file: string): boolean =>
  statSync(file, { throwIfNoEntry: false }) !== undefined || systemPolicies(platform) !== null;

/** Addresses of this machine, which no proxy reaches. */
const LOOPBACK = 'localhost,127.0.0.1,::1';

/** A proxy of the environment; the lower-case name comes first, as in curl. */
const variable = (env: Env, name: string): string => env[name.toLowerCase()] || env[name] || '';

/** The URL of the HTTP proxy of a variable, '' without one; null when it is of something else. */
function urlIn(env: Env, name: string): string | null {
  const value = variable(env, name);
  const text = value === '' || value.includes('://') ? value : `http://${value}`;
  return text === '' || /^https?:$/.test(URL.parse(text)?.protocol ?? '') ? text : null;
}

function proxyOf(env: Env, name: string): string {
  const text = urlIn(env, name);
  // The value is not in the message: it may contain a password.
  if (text === null)
    throw new TypeError(`${name} must be the URL of an HTTP proxy, such as http://proxy.example:3128.`);
  // What other programs use for everything may be a SOCKS proxy.
  return text || (urlIn(env, 'ALL_PROXY') ?? '');
}

/** The hosts of the proxies of the environment, and the hosts that are reached without one. Null when there is no proxy. */
export function proxiesOf(env: Env): { http: string; https: string; direct: string } | null {
  const http = proxyOf(env, 'HTTP_PROXY');
  const https = proxyOf(env, 'HTTPS_PROXY');
  if (http === '' && https === '') return null;
  const direct = [variable(env, 'NO_PROXY'), LOOPBACK].filter((text) => text !== '').join(',');
  return { http, https, direct };
}

/**
 * Applies what the machine and the environment say about the network: certificate authorities and proxies.
 * @throws TypeError with a sentence for the user
 */
export async function enableNetwork(env: Env): Promise<void> {
  const file = machineFile(process.platform, env);
  if (env.SVC_CA_FILE || hasMachineSettings(process.platform, file)) {
    const [{ givenAuthorities }, { trustAuthorities }] = await Promise.all([
      import('./machine-settings.ts'),
      import('./authorities.ts'),
    ]);
    trustAuthorities(givenAuthorities(env, file));
  }
  await enableProxies(env);
}

/** The networks of `NO_PROXY`, such as `10.0.0.0/8`, which undici does not know. Null when there are none. */
export function networksIn(direct: string): ((host: string) => boolean) | null {
  const networks = new BlockList();
  for (const entry of direct.split(/[,\s]+/)) {
    const [, address = '', bits] = /^([^/]+)\/(\d{1,3})$/.exec(entry) ?? [];
    const family = isIP(address);
    if (family === 0 || Number(bits) > (family === 4 ? 32 : 128)) continue;
    networks.addSubnet(address, Number(bits), family === 4 ? 'ipv4' : 'ipv6');
  }
  if (networks.rules.length === 0) return null;
  return (host) => isIP(host) !== 0 && networks.check(host, isIP(host) === 4 ? 'ipv4' : 'ipv6');
}

/**
 * Sends the requests of this process through the proxies in `HTTP_PROXY` and `HTTPS_PROXY`, else in `ALL_PROXY`, except those to hosts and
 * networks in `NO_PROXY` and to this machine. Requests to the servers of apps never use a proxy: they go to an address that was checked first.
 * @throws TypeError when a variable is not the URL of an HTTP proxy
 */
export async function enableProxies(env: Env): Promise<void> {
  const proxies = proxiesOf(env);
  if (proxies === null) return;
  const { Agent, EnvHttpProxyAgent, setGlobalDispatcher } = await import('undici/index.js');
  const { http: httpProxy, https: httpsProxy, direct: noProxy } = proxies;
  // An empty text is no proxy; undici would read the environment of the process for an absent option.
  const proxied = new EnvHttpProxyAgent({ httpProxy, httpsProxy, noProxy });
  const isInside = networksIn(noProxy);
  const unproxied = new Agent();
  setGlobalDispatcher(
    proxied.compose((dispatch) => (options, handler) => {
      const { hostname } = new URL(options.origin ?? '');
      const isDirect = isInside?.(unbracketed(hostname));
      return isDirect ? unproxied.dispatch(options, handler) : dispatch(options, handler);
    }),
  );
}
