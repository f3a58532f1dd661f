import { numbersFrom } from '@svc/testkit';
import { createParser } from 'eventsource-parser';
import { describe, expect, it } from 'vitest';
import { type Join, joinAnthropic, joinEvents, joinGoogle } from '../../src/chat/join-events.ts';

type Json = Record<string, unknown>;

/** What arrives of a body that is sent in pieces of some bytes: the data of its events. */
async function heard(body: string, join: Join, size = 1_000_000): Promise<string[]> {
  const bytes = Buffer.from(body);
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
  const said = await new Response(joinEvents(ReadableStream.from(pieces) as never, join)).text();
  const all: string[] = [];
  createParser({ onEvent: ({ data }) => all.push(data) }).feed(said);
  return all;
}

const bodyOf = (events: readonly (Json | string)[]): string =>
  events.map((one) => `data: ${typeof one === 'string' ? one : JSON.stringify(one)}\n\n`).join('');

const delta = (index: number, given: Json): Json => ({ type: 'content_block_delta', index, delta: given });
const words = (index: number, text: string) => delta(index, { type: 'text_delta', text });
const thinks = (thinking: string) => delta(0, { type: 'thinking_delta', thinking });
const args = (index: number, partial_json: string) =>
  delta(index, { type: 'input_json_delta', partial_json });
const part = (given: Json, more: Json = {}): Json => ({
  candidates: [{ content: { parts: [given], role: 'model' } }],
  ...more,
});

describe('pieces of a text that arrive together', () => {
  it.each<[string, Join, (Json | string)[], (Json | string)[]]>([
    [
      'Anthropic',
      joinAnthropic,
      [
        ...[thinks('a'), thinks('b'), words(0, 'c'), words(0, 'd'), words(1, 'e')],
        ...[args(1, '{"a'), args(1, '":1}'), { type: 'ping' }, args(1, ' ')],
      ],
      [thinks('ab'), words(0, 'cd'), words(1, 'e'), args(1, '{"a":1}'), { type: 'ping' }, args(1, ' ')],
    ],
    [
      'Google',
      joinGoogle,
      [
        ...[part({ text: 'a', thought: true }, { responseId: 'r' }), part({ text: 'b', thought: true })],
        ...[part({ text: 'c' }, { usageMetadata: { totalTokenCount: 1 } })],
        ...[part({ text: 'd' }, { usageMetadata: { totalTokenCount: 2 } })],
      ],
      [
        part({ text: 'ab', thought: true }, { responseId: 'r' }),
        part({ text: 'cd' }, { usageMetadata: { totalTokenCount: 2 } }),
      ],
    ],
  ])('are one event of %s, and the others stay as they are', async (_, join, sent, got) => {
    const all = (await heard(bodyOf(sent), join)).map((one) => JSON.parse(one));
    expect(all).toEqual(got);
  });

  it.each<[string, Join, Json]>([
    ['a signature', joinAnthropic, delta(0, { type: 'signature_delta', signature: 's' })],
    ['another field of the delta', joinAnthropic, delta(0, { type: 'text_delta', text: 'a', more: 1 })],
    ['another field', joinAnthropic, { ...words(0, 'a'), more: 1 }],
    ['no text', joinAnthropic, delta(0, { type: 'text_delta', text: 1 })],
    ['no delta', joinAnthropic, { type: 'content_block_delta', index: 0, delta: null }],
    ['a signature of a part', joinGoogle, part({ text: 'a', thoughtSignature: 's' })],
    ['a call', joinGoogle, part({ functionCall: { name: 'a', args: {} } })],
    ['an end', joinGoogle, { candidates: [{ content: { parts: [{ text: 'a' }] }, finishReason: 'STOP' }] }],
    ['two parts', joinGoogle, { candidates: [{ content: { parts: [{ text: 'a' }, { text: 'b' }] } }] }],
    ['two answers', joinGoogle, { candidates: [{ content: { parts: [{ text: 'a' }] } }, {}] }],
    ['feedback', joinGoogle, part({ text: 'a' }, { promptFeedback: { blockReason: 'OTHER' } })],
  ])('stay two events with %s', async (_, join, event) => {
    const all = await heard(bodyOf([event, event]), join);
    expect(all.map((one) => JSON.parse(one))).toEqual([event, event]);
  });

  it('leave what is no value as it is, also where the last event has no line end', async () => {
    const sent = ['[DONE]', '{"a":', '[1]', `${'['.repeat(100_000)}`];
    expect(await heard(bodyOf(sent).trimEnd(), joinAnthropic)).toEqual(sent);
    const lines = await heard('data: {"a":\ndata: 1}\n\ndata: no\ndata: value', joinAnthropic);
    expect(lines).toEqual(['{"a":1}', 'no\nvalue']);
  });

  it('say the same however they are cut, and are few when they arrive together', async () => {
    const random = numbersFrom(5);
    const below = (end: number) => Math.floor(random() * end);
    const sent = Array.from({ length: 60 }, () => {
      const text = ['a', 'é', '😀', '\n', '"'][below(5)] ?? '';
      return below(20) === 0 ? { type: 'ping' } : below(9) === 0 ? thinks(text) : words(below(2), text);
    });
    const said = (all: readonly string[]) =>
      all
        .map((one) => JSON.parse(one))
        .flatMap(({ index, delta: given }) =>
          [...(given?.text ?? given?.thinking ?? '')].map((letter) => [index, given.type, letter]),
        );
    const alone = sent.map((one) => JSON.stringify(one));
    for (const size of [1, 7, 1_000, 1_000_000])
      expect(said(await heard(bodyOf(sent), joinAnthropic, size))).toEqual(said(alone));
    const flood = Array.from({ length: 10_000 }, () => words(0, 'word '));
    expect(await heard(bodyOf(flood), joinAnthropic)).toEqual([
      JSON.stringify(words(0, 'word '.repeat(10_000))),
    ]);
  });
});
