import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { bytesOf, isTooDeep, jsonOf, parseAnswer } from '../../src/network/read-answer.ts';
import { refused } from '../support/refused.ts';

/** An answer without an end, and how many bytes of it were asked for. */
function endless() {
  const state = { sent: 0, cancelled: false };
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        state.sent += 65_536;
        controller.enqueue(new Uint8Array(65_536));
      },
      cancel: () => {
        state.cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { state, response: new Response(body, { headers: { 'content-length': '3' } }) };
}

const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

describe('an answer of a peer', () => {
  it('is read up to its limit, and its connection closed', async () => {
    const { state, response } = endless();
    await expect(bytesOf(response, 1_000_000)).rejects.toMatchObject(refused('too-large'));
    expect(state).toMatchObject({ cancelled: true });
    expect(state.sent).toBeLessThan(1_200_000);
    const other = endless();
    await expect(jsonOf(other.response, 10, z.unknown())).rejects.toMatchObject(refused('too-large'));
    await expect(bytesOf(endless().response, 10, () => new Error('mine'))).rejects.toThrow('mine');
  });

  it('is given piece by piece, and whole', async () => {
    const pieces: number[] = [];
    const bytes = await bytesOf(new Response('héllo'), 100, undefined, (piece) => pieces.push(piece.length));
    expect([bytes.toString(), pieces]).toEqual(['héllo', [6]]);
    expect(await bytesOf(new Response(null), 0)).toHaveLength(0);
  });

  it('is JSON of a schema', async () => {
    const Named = z.object({ name: z.string() });
    expect(await jsonOf(Response.json({ name: 'a', more: 1 }), 100, Named)).toEqual({ name: 'a' });
    for (const text of ['null', '{}', '[]', '', 'x', '{"name":'])
      await expect(jsonOf(new Response(text), 100, Named)).rejects.toThrow();
  });

  it('is no deeper than code may walk', () => {
    expect(parseAnswer(nested(256))).toBeInstanceOf(Array);
    for (const levels of [257, 100_000]) expect(() => parseAnswer(nested(levels))).toThrow(SyntaxError);
    expect(() => parseAnswer(`${'{"a":'.repeat(300)}1${'}'.repeat(300)}`)).toThrow('too deeply');
    // Brackets in texts are no levels.
    expect(parseAnswer(JSON.stringify(['\\"', '['.repeat(1_000)]))).toHaveLength(2);
    expect(isTooDeep(`${'[],'.repeat(1_000)}[]`)).toBe(false);
  });
});
