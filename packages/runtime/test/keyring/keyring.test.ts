import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemKeyring } from '../../src/keyring/keyring.ts';
import { tempFolder } from '../support/temp-folder.ts';

const ACCOUNT = 'https://store.example';
const SECRET = 'svcd_0123456789abcdefghijABCDEFGHIJ12345';

/** A keyring behind a program of the test. */
async function keyringOf(program: string, env = {}, limitMs = 10_000) {
  const file = path.join(await tempFolder(), 'program.mjs');
  await writeFile(file, program);
  return systemKeyring(env, { program: file, limitMs });
}

describe('the keyring', () => {
  it('is asked through pipes, and shows no secret to those who look at processes', async () => {
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

  it('answers with what it holds, or null', async () => {
    expect(await (await keyringOf(`process.stdout.write('${SECRET}')`)).get(ACCOUNT)).toBe(SECRET);
    expect(await (await keyringOf('')).get(ACCOUNT)).toBeNull();
  });

  it('is given up when it never answers', async () => {
    const keyring = await keyringOf('setInterval(() => {}, 1000)', {}, 300);
    await expect(keyring.get(ACCOUNT)).rejects.toThrow('it does not answer');
  });

  it('is given up when it fails, and what it wrote is not repeated', async () => {
    const keyring = await keyringOf(`process.stdout.write('${SECRET}'); throw new Error('${SECRET}')`);
    await expect(keyring.get(ACCOUNT)).rejects.toThrow(/^it cannot be used$/);
    await expect(keyring.delete(ACCOUNT)).rejects.toThrow(/^it cannot be used$/);
  });

  it('is given up when it does not stop talking', async () => {
    const keyring = await keyringOf("process.stdout.write('x'.repeat(1024 * 1024))");
    await expect(keyring.get(ACCOUNT)).rejects.toThrow('it cannot be used');
  });
});
