import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemKeyring } from '../../src/keyring/keyring.ts';
import { tempFolder } from '../support/temp-folder.ts';

const ACCOUNT = 'https://store.example';
const SECRET = 'svcd_0123456789abcdefghijABCDEFGHIJ12345';

/** A keyring that runs a program of the test. */
async function keyringOf(program: string, env = {}, limitMs = 10_000) {
  const file = path.join(await tempFolder(), 'program.mjs');
  await writeFile(file, program);
  return systemKeyring(env, { program: file, limitMs });
}

describe('the keyring', () => {
  it('passes secrets through pipes, not in arguments or the environment', async () => {
    const keyring = await keyringOf(
      `
      import { text } from 'node:stream/consumers';
      const secret = await text(process.stdin);
      const expected = ${JSON.stringify(['set', ACCOUNT])}.join();
      const hidden = !JSON.stringify([process.argv, process.env]).includes('svcd_');
      process.exit(process.argv.slice(2).join() === expected && secret === '${SECRET}' && hidden ? 0 : 1);
    `,
      { SVC_TOKEN: SECRET },
    );
    await expect(keyring.set(ACCOUNT, SECRET)).resolves.toBeUndefined();
    await expect(keyring.set(ACCOUNT, 'other')).rejects.toThrow('it cannot be used');
  });

  it('returns the stored secret, or null', async () => {
    expect(await (await keyringOf(`process.stdout.write('${SECRET}')`)).get(ACCOUNT)).toBe(SECRET);
    expect(await (await keyringOf('')).get(ACCOUNT)).toBeNull();
  });

  it('fails when its program does not answer in time', async () => {
    const keyring = await keyringOf('setInterval(() => {}, 1000)', {}, 300);
    await expect(keyring.get(ACCOUNT)).rejects.toThrow('it does not answer');
  });

  it('fails when its program fails, without the output of the program', async () => {
    const keyring = await keyringOf(`process.stdout.write('${SECRET}'); throw new Error('${SECRET}')`);
    await expect(keyring.get(ACCOUNT)).rejects.toThrow(/^it cannot be used$/);
    await expect(keyring.delete(ACCOUNT)).rejects.toThrow(/^it cannot be used$/);
  });

  it('fails when its program writes too much', async () => {
    const keyring = await keyringOf("process.stdout.write('x'.repeat(1024 * 1024))");
    await expect(keyring.get(ACCOUNT)).rejects.toThrow('it cannot be used');
  });
});
