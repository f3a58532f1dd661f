import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { openPinboard } from './open-pinboard.ts';
import { packPinboard } from './pack-pinboard.ts';

/** The port in `app/plugin.json`. */
const USUAL_PORT = '4680';

const USAGE = `Usage: node main.ts [--port N] [--data DIR] [--origin URL --no-passwords] [--token-seconds N] [--pack FILE]

  --port N           0 takes any that is free (default: ${USUAL_PORT})
  --data DIR         keeps boards and sign-ins there (default: in memory)
  --origin URL       https address of this server behind a proxy
  --no-passwords     with --origin: any visitor of this server may take any name
  --token-seconds N  seconds for which an access token is good (default: 900)
  --pack FILE        writes the app for this server's address there
`;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function wrong(message: string): never {
  process.stderr.write(`${message}\n\n${USAGE}`);
  process.exit(2);
}

const whole = (name: string, text: string, least: number, most: number): number => {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least || value > most)
    wrong(`--${name} is a number from ${least} to ${most}.`);
  return value;
};

function readOptions() {
  try {
    return parseArgs({
      options: {
        port: { type: 'string', default: USUAL_PORT },
        data: { type: 'string' },
        origin: { type: 'string' },
        'no-passwords': { type: 'boolean', default: false },
        'token-seconds': { type: 'string', default: '900' },
        pack: { type: 'string' },
      },
    }).values;
  } catch (error) {
    return wrong((error as Error).message);
  }
}

/** An origin. Boards have no passwords, so opening the server to other machines must be explicit. */
function originOf(text: string | undefined, agreed: boolean): string | null {
  if (text === undefined) return null;
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' || url.origin !== text.replace(/\/$/, '')) {
    return wrong('--origin is an https address without a path, such as https://pins.example.com.');
  }
  if (!agreed)
    wrong('Boards have no passwords: add --no-passwords to allow other machines to reach this server.');
  return url.origin;
}

const given = readOptions();
const pinboard = await openPinboard({
  port: whole('port', given.port, 0, 65_535),
  data: given.data ?? null,
  origin: originOf(given.origin, given['no-passwords']),
  accessTokenSeconds: whole('token-seconds', given['token-seconds'], 1, 86_400),
  onFault: (error) => process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`),
}).catch((error: Error) => wrong(`The server does not start: ${error.message}`));
if (given.pack !== undefined) await writeFile(given.pack, await packPinboard(pinboard));
say(`Pinboard: ${pinboard.origin}`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void pinboard.close().then(() => process.exit(0)));
}
