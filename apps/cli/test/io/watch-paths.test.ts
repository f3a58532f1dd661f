import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@svc/testkit/eventually';
import { describe, expect, it, onTestFinished } from 'vitest';
import { watchPaths } from '../../src/io/watch-paths.ts';
import { writeApp } from '../support/app-folder.ts';
import { tempFolder } from '../support/command-context.ts';

/** Watches until the end of the test, and counts the checks. */
async function watching(cwd: string, shown: string, leftOut: string[] = []) {
  const controller = new AbortController();
  const state = { checks: 0, running: 0, most: 0 };
  const watch = watchPaths({ cwd, interrupted: () => controller.signal }, [shown], async () => {
    state.running += 1;
    state.most = Math.max(state.most, state.running);
    await sleep(20);
    state.running -= 1;
    state.checks += 1;
    return [leftOut];
  });
  const end = async () => {
    controller.abort();
    await watch;
  };
  onTestFinished(end);
  const reaches = (checks: number) => eventually(() => expect(state.checks).toBe(checks));
  await reaches(1);
  return { state, end, reaches };
}

/** Waits long enough for an unexpected check to happen. */
const settle = () => sleep(400);

const appIn = async () => {
  const cwd = await tempFolder();
  return { cwd, app: await writeApp(path.join(cwd, 'app')) };
};

describe('watching a folder', () => {
  it('checks again after a change, once for many simultaneous changes', async () => {
    const { cwd, app } = await appIn();
    const { state, reaches } = await watching(cwd, 'app');
    for (let round = 0; round < 20; round += 1) await writeFile(path.join(app, 'README.md'), `# ${round}\n`);
    await reaches(2);
    await settle();
    expect(state).toMatchObject({ checks: 2, most: 1 });
    await mkdir(path.join(app, 'ui'));
    await writeFile(path.join(app, 'ui', 'index.html'), '<!doctype html>');
    await reaches(3);
  });

  it('notices an editor that replaces a file by renaming', async () => {
    const { cwd, app } = await appIn();
    const { reaches } = await watching(cwd, 'app');
    await writeFile(path.join(app, '.plugin.json.tmp'), '{}');
    await rename(path.join(app, '.plugin.json.tmp'), path.join(app, 'plugin.json'));
    await reaches(2);
  });

  it('ignores files that are not part of the bundle', async () => {
    const { cwd, app } = await appIn();
    await mkdir(path.join(app, 'raw'));
    await mkdir(path.join(app, 'node_modules'));
    const { state } = await watching(cwd, 'app', ['raw/', 'notes.txt']);
    for (const name of ['.plugin.json.swp', 'raw/a.psd', 'notes.txt', 'node_modules/x.js', 'old.svc-app']) {
      await writeFile(path.join(app, name), 'x');
    }
    await settle();
    expect(state.checks).toBe(1);
  });

  it('checks again when .svcignore changes', async () => {
    const { cwd, app } = await appIn();
    const { reaches } = await watching(cwd, 'app', ['.svcignore']);
    await writeFile(path.join(app, '.svcignore'), '*.psd\n');
    await reaches(2);
  });

  it('waits for a deleted folder, and watches it when it is created again', async () => {
    const { cwd, app } = await appIn();
    const { state, reaches } = await watching(cwd, 'app');
    await rm(app, { recursive: true });
    await eventually(() => expect(state.checks).toBeGreaterThan(1));
    await settle();
    const gone = state.checks;
    await writeApp(app);
    await eventually(() => expect(state.checks).toBeGreaterThan(gone));
    await sleep(800);
    const back = state.checks;
    await writeFile(path.join(app, 'README.md'), '# Back\n');
    await reaches(back + 1);
  });
});

describe('watching a file', () => {
  it('checks again when the file changes or is replaced, but not for other files in its folder', async () => {
    const { cwd, app } = await appIn();
    const file = path.join(app, 'plugin.json');
    const { state, reaches } = await watching(cwd, 'app/plugin.json');
    await writeFile(path.join(app, 'README.md'), 'x');
    await settle();
    expect(state.checks).toBe(1);
    await writeFile(file, '{}');
    await reaches(2);
    await writeFile(path.join(app, 'draft'), '{ }');
    await rename(path.join(app, 'draft'), file);
    await reaches(3);
  });
});

it('refuses a path that does not exist at the start', async () => {
  const cwd = await tempFolder();
  const watch = watchPaths(
    { cwd, interrupted: () => new AbortController().signal },
    ['nowhere'],
    async () => [],
  );
  await expect(watch).rejects.toMatchObject({ exitCode: 2, message: 'nowhere does not exist.' });
});

it('ends when it is interrupted', async () => {
  const { cwd } = await appIn();
  const { end, state } = await watching(cwd, 'app');
  await end();
  expect(state.checks).toBe(1);
});
