import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { openPrivateSqlite } from '@svc/bundle/private-files';
import {
  base64Of,
  decideAsWitness,
  formatVerifierKey,
  type Head,
  hashOfBase64,
  type NoteKey,
  noteKey,
  readVerifierKey,
  SIGNATURE_TYPES,
  type Witness,
  type WitnessAnswer,
} from '@svc/log';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { z } from 'zod';
import { makeFolderDurably } from '../../adapters/disk/durable-file.ts';
import { openSigningKey } from '../../adapters/disk/signing-key-file.ts';
import type { Clock } from '../../platform/system.ts';
import { listen, stopOnSignals } from '../serve.ts';
import { SettingError } from '../settings.ts';
import type { Command } from './command.ts';

/** Bytes of a request: a checkpoint and 63 hashes have some 36 KiB at most. */
const MAX_BODY = 64 * 1024;

/** How long another process may hold the state, in milliseconds. */
const BUSY_MS = 5_000;

/**
 * The last checkpoints that a witness cosigned, on disk. Decisions run one at a time, also those of several processes, and what is cosigned
 * is durable before it is answered: a witness that forgets could cosign two histories.
 */
export function openWitnessState(file: string) {
  const db = openPrivateSqlite(file, { timeout: BUSY_MS });
  db.exec(`pragma journal_mode = wal; pragma synchronous = full;
    create table if not exists cosigned (origin text primary key, size integer not null, root text not null)`);
  const read = db.prepare('select size, root from cosigned where origin = ?');
  const write = db.prepare('insert or replace into cosigned (origin, size, root) values (?, ?, ?)');

  function lastOf(origin: string): Head | null {
    const row = read.get(origin) as { size: number; root: string } | undefined;
    if (!row) return null;
    const root = hashOfBase64(row.root);
    if (!root) throw new Error('The state of the witness is malformed.');
    return { size: row.size, root };
  }

  return {
    /** Decides on a request, and keeps what is cosigned. @throws when it cannot be kept: then nothing may be answered */
    decide(body: string, witness: Witness, time: number): WitnessAnswer {
      db.exec('begin immediate');
      try {
        const { answer, cosigned } = decideAsWitness(body, witness, lastOf, time);
        if (cosigned) write.run(cosigned.origin, cosigned.size, base64Of(cosigned.root));
        db.exec('commit');
        return answer;
      } catch (error) {
        if (db.isTransaction) db.exec('rollback');
        throw error;
      }
    },
    close(): void {
      if (db.isOpen) db.close();
    },
  };
}

export type WitnessState = ReturnType<typeof openWitnessState>;

/** The witness over HTTP: `POST /add-checkpoint`, and its verifier key at `/`. */
export function createWitnessApp(witness: Witness, state: Pick<WitnessState, 'decide'>, clock: Clock): Hono {
  const app = new Hono();
  const key = `${formatVerifierKey(witness.key)}\n`;
  app.get('/', (c) => c.text(key));
  app.post('/add-checkpoint', bodyLimit({ maxSize: MAX_BODY }), async (c) => {
    const body = await c.req.text();
    const { status, type, body: text } = state.decide(body, witness, Math.floor(clock().getTime() / 1_000));
    return new Response(text, { status, headers: { 'Content-Type': type, 'Cache-Control': 'no-store' } });
  });
  return app;
}

const logKey = (vkey: string): NoteKey | null => {
  const key = readVerifierKey(vkey);
  return key?.type === SIGNATURE_TYPES.ed25519 ? key : null;
};

const WitnessFile = z.strictObject({
  name: z.string().min(1).max(200),
  logs: z.array(z.string()).min(1).max(1_000),
});

/** Reads the name of a witness, and the keys of the logs that it watches. @throws SettingError */
function readWitnessFile(file: string): { name: string; logs: NoteKey[] } {
  const wrong = (why: string) => new SettingError(`${file} cannot be used: ${why}`);
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw wrong((error as Error).message);
  }
  const read = WitnessFile.safeParse(json);
  if (!read.success)
    throw wrong('it must be { "name": "witness.example/w1", "logs": ["store.example+1234abcd+A…"] }');
  const logs = read.data.logs.map((vkey) => {
    const key = logKey(vkey);
    if (!key) throw wrong(`${vkey} is not the verifier key of a log`);
    return key;
  });
  return { name: read.data.name, logs };
}

/** The key of a witness, which is created at its first start. @throws SettingError for a name that no key can have */
async function openWitness(file: string, folder: string, newId: () => string): Promise<Witness> {
  const { name, logs } = readWitnessFile(file);
  await makeFolderDurably(folder);
  const { publicKeyPem, privateKey } = await openSigningKey(path.join(folder, 'witness-key.pem'), newId);
  try {
    return {
      key: noteKey(name, createPublicKey(publicKeyPem), SIGNATURE_TYPES.cosignature),
      privateKey,
      logs,
    };
  } catch (error) {
    throw new SettingError(`${file} cannot be used: ${(error as Error).message}`);
  }
}

/** `svc-store witness FILE` */
export const witnessCommand: Command = {
  name: 'witness',
  operands: ['FILE'],
  options: {},
  summary:
    'run a witness on PORT, which cosigns the logs of other stores that FILE lists; its key and its state are in SVC_DATA_DIR/witness',
  async run({ operands: [file = ''] }, { dataDir, port }, { newId, clock, log }) {
    const folder = path.join(dataDir, 'witness');
    const witness = await openWitness(file, folder, newId);
    const state = openWitnessState(path.join(folder, 'cosigned.sqlite'));
    const app = createWitnessApp(witness, state, clock);
    app.onError((err) => {
      log.error({ err }, 'A checkpoint was not cosigned.');
      return new Response('The witness cannot cosign now.\n', { status: 500 });
    });
    const server = await listen({ app, answerFromMemory: () => false, isHttps: false }, port);
    const store = { readiness: { end: () => false }, close: async () => state.close() };
    stopOnSignals({ server, store, inspector: { close: async () => undefined } }, log);
    return `The witness ${witness.key.name} listens on port ${server.port}. Its verifier key is ${formatVerifierKey(witness.key)}`;
  },
};
