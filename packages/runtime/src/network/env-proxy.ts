import { statSync } from 'node:fs';
import { win32 } from 'node:path';

type Env = Readonly<Record<string, string | undefined>>;

/** The file with the settings of a machine, in a folder of its platform that only administrators may write. */
export function machineFile(platform: NodeJS.Platform, env: Env): string {
  if (platform === 'darwin') return '/Library/Application Support/svc/managed.json';
  if (platform !== 'win32') return '/etc/svc/managed.json';
  return win32.join(env.ProgramData || 'C:\\ProgramData', 'svc', 'managed.json');
}

/** Addresses of this machine, which no proxy reaches. */
const LOOPBACK = 'localhost,127.0.0.1,::1';

/** A proxy of the environment; the lower-case name comes first, as in curl. */
const variable = (env: Env, name: string): string => env[name.toLowerCase()] || env[name] || '';

function proxyOf(env: Env, name: string): string {
  const value = variable(env, name);
  const text = value === '' || value.includes('://') ? value : `http://${value}`;
  // The value is not in the message: it may contain a password.
  if (text !== '' && !/^https?:$/.test(URL.parse(text)?.protocol ?? ''))
    throw new TypeError(`${name} must be the URL of an HTTP proxy, such as http://proxy.example:3128.`);
  return text;
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
  // Few machines have either: a start without them loads no module that reads them.
  const file = machineFile(process.platform, env);
  if (env.SVC_CA_FILE || statSync(file, { throwIfNoEntry: false })) {
    const [{ givenAuthorities }, { trustAuthorities }] = await Promise.all([
      import('./machine-settings.ts'),
      import('./authorities.ts'),
    ]);
    trustAuthorities(givenAuthorities(env, file));
  }
  await enableProxies(env);
}

/**
 * Sends the requests of this process through the proxies in `HTTP_PROXY` and `HTTPS_PROXY`, except those to hosts in `NO_PROXY` and to
 * this machine. Requests to the servers of apps never use a proxy: they go to an address that was checked first.
 * @throws TypeError when a variable is not the URL of an HTTP proxy
 */
export async function enableProxies(env: Env): Promise<void> {
  const proxies = proxiesOf(env);
  if (proxies === null) return;
  const { EnvHttpProxyAgent, setGlobalDispatcher } = await import('undici');
  const { http: httpProxy, https: httpsProxy, direct: noProxy } = proxies;
  setGlobalDispatcher(
    // An empty text is no proxy; undici would read the environment of the process for an absent option.
    new EnvHttpProxyAgent({ httpProxy, httpsProxy, noProxy }),
  );
}
