import fs from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { DatabaseSync } from 'node:sqlite';

/**
 * Kills this process at a step of what it does between `begin` and `end`. There is a step before and after each file operation and each commit.
 * @param killAt counted from 1; 0 for none
 */
export function killAtStep(killAt: number) {
  let step = 0;
  let counting = false;
  const tick = () => {
    if (!counting) return;
    step += 1;
    if (step === killAt) process.kill(process.pid, 'SIGKILL');
  };
  const async = promises as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
  for (const name of ['rename', 'link', 'rm', 'mkdir']) {
    const own = async[name];
    async[name] = async (...args) => {
      tick();
      const result = await own?.apply(promises, args);
      tick();
      return result;
    };
  }
  const sync = fs as unknown as Record<string, (...args: unknown[]) => unknown>;
  for (const name of ['openSync', 'renameSync', 'rmSync']) {
    const own = sync[name];
    sync[name] = (...args) => {
      // A folder is opened in order to flush it: nothing has changed before.
      if (name !== 'openSync') tick();
      const result = own?.apply(fs, args);
      tick();
      return result;
    };
  }
  const { exec } = DatabaseSync.prototype;
  DatabaseSync.prototype.exec = function (sql) {
    if (/^commit/.test(sql)) tick();
    exec.call(this, sql);
    if (/^commit/.test(sql)) tick();
  };
  syncBuiltinESMExports();
  return {
    begin() {
      counting = true;
    },
    /** @returns the number of steps since `begin` */
    end(): number {
      counting = false;
      return step;
    },
  };
}
