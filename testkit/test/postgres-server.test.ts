import { chmodSync, cpSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { DEEP } from '@svc/testkit';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { findPrograms, type Programs, preparePostgres } from '../src/postgres-files.ts';
import { FAST_POSTGRES, startPostgres } from '../src/postgres-server.ts';

const isRoot = process.getuid?.() === 0;
const NOT_ROOT = 'only root starts PostgreSQL as another user';

const programs = await findPrograms().catch(() => null);

/** Copies the programs into a folder that only root may enter, like a clone in root's home. */
function inPrivateFolder({ initdb, postgres }: Programs): Programs {
  // mkdtemp creates folders with mode 0700.
  const folder = mkdtempSync(join(tmpdir(), 'svc-private-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const from = dirname(dirname(postgres));
  cpSync(from, join(folder, 'native'), { recursive: true, verbatimSymlinks: true });
  const at = (program: string) => join(folder, 'native/bin', basename(program));
  return { initdb: at(initdb), postgres: at(postgres) };
}

/**
 * Sets the folder for temporary files to a separate one for this test, because other tests start servers at the same time.
 * @returns the names of its entries
 */
function inOwnFolder(): () => string[] {
  const own = mkdtempSync(join(tmpdir(), 'svc-own-'));
  chmodSync(own, 0o755);
  onTestFinished(() => rmSync(own, { recursive: true }));
  vi.stubEnv('TMPDIR', own);
  onTestFinished(() => void vi.unstubAllEnvs());
  return () => readdirSync(own);
}

describe('a PostgreSQL server for tests', () => {
  it(
    'starts, keeps committed data over a restart, and leaves no process and no files',
    DEEP,
    async ({ skip }) => {
      if (!programs) return skip('npm has no PostgreSQL for this machine');
      const folders = inOwnFolder();
      const server = await startPostgres(FAST_POSTGRES);
      expect(folders()).toHaveLength(1);
      await server.createDatabase('kept');
      await server.stop();
      await server.start();
      await expect(server.createDatabase('kept')).rejects.toMatchObject({ code: '42P04' });
      await server.close();
      expect(() => process.kill(server.pid(), 0)).toThrow();
      expect(folders()).toEqual([]);
    },
  );

  it('starts from a folder that only root may enter', DEEP, async ({ skip }) => {
    if (!programs) return skip('npm has no PostgreSQL for this machine');
    skip(!isRoot, NOT_ROOT);
    const server = await startPostgres(FAST_POSTGRES, inPrivateFolder(programs));
    await server.createDatabase('made').finally(server.close);
  });

  it('is copied into a folder that its user may enter when this user cannot run it in place', ({ skip }) => {
    if (!programs) return skip('npm has no PostgreSQL for this machine');
    skip(!isRoot, NOT_ROOT);
    const hidden = inPrivateFolder(programs);
    // TMPDIR may be in root's home too.
    vi.stubEnv('TMPDIR', dirname(hidden.postgres));
    onTestFinished(() => void vi.unstubAllEnvs());
    const made = preparePostgres(hidden);
    onTestFinished(() => rmSync(made.folder, { recursive: true }));
    expect(made.folder).not.toContain(dirname(hidden.postgres));
    expect(made.postgres).toBe(join(made.folder, 'programs/bin', basename(hidden.postgres)));
    expect(statSync(made.folder).uid).toBe(made.owner.uid);
    expect(made.owner.uid).not.toBe(0);
  });

  it('reports why it does not start, and removes its folder', async ({ skip }) => {
    if (!programs) return skip('npm has no PostgreSQL for this machine');
    const folders = inOwnFolder();
    await expect(startPostgres(['no_such_setting=on'])).rejects.toThrow(/no_such_setting/);
    expect(folders()).toEqual([]);
  });
});
