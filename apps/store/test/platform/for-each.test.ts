import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { forEach } from '../../src/platform/for-each.ts';

/** Numbers, each after a pause, like the entries of a folder. */
async function* numbers(count: number, pauseMs = 0) {
  for (let number = 0; number < count; number += 1) {
    if (pauseMs > 0) await sleep(pauseMs);
    yield number;
  }
}

describe('forEach', () => {
  it('runs the work for all items, with at most four at a time', async () => {
    const done: number[] = [];
    let [underWay, most] = [0, 0];
    const work = async (number: number) => {
      underWay += 1;
      most = Math.max(most, underWay);
      await sleep(2);
      underWay -= 1;
      done.push(number);
    };
    await forEach(numbers(20), work, 4);
    expect(done.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, number) => number));
    expect(most).toBe(4);
  });

  it('rejects when an item fails while the next one is awaited, and when the last one fails', async () => {
    for (const bad of [0, 2]) {
      const work = async (number: number) => {
        if (number === bad) throw new Error(`${number} is damaged`);
      };
      await expect(forEach(numbers(3, 5), work, 4)).rejects.toThrow(`${bad} is damaged`);
    }
  });

  it('waits for work in progress after a failure, and begins no more', async () => {
    const done: number[] = [];
    const work = async (number: number) => {
      if (number === 1) throw new Error('1 is damaged');
      await sleep(20);
      done.push(number);
    };
    await expect(forEach(numbers(10), work, 2)).rejects.toThrow('1 is damaged');
    expect(done).toEqual([0]);
  });

  it('rejects when the items cannot be listed', async () => {
    async function* broken() {
      yield 0;
      throw new Error('the disk is gone');
    }
    await expect(forEach(broken(), async () => {}, 4)).rejects.toThrow('the disk is gone');
  });
});
