import { ALL_FORMATS, BufferSource, Input } from 'mediabunny';
import { describe, expect, it } from 'vitest';
import { typeOfFile } from '../../src/files/file-type.ts';
import { MediaError } from '../../src/media/media-task.ts';
import { prepareRecording as run } from '../../src/media/recordings.ts';
import { wav } from '../support/recordings.ts';

// These tests come first, because loaded encoders stay for the whole process.
describe('a client without encoders', () => {
  const none = async () => false;

  it('trims a recording that needs no encoding', async () => {
    const { bytes } = await run(wav(2), 'audio/wav', { op: 'trim', end: 1 }, none);
    expect(bytes.byteLength).toBeLessThan(17_000);
  });

  it('reports that a conversion needs an encoder', async () => {
    for (const request of [
      { op: 'convert', format: 'mp3' },
      { op: 'convert', format: 'ogg' },
    ] as const) {
      await expect(run(wav(1), 'audio/wav', request, none)).rejects.toThrow(
        'This client has no encoder for recordings.',
      );
    }
  });
});

describe('a recording', () => {
  const lengthOf = async (bytes: Uint8Array) => {
    using input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS });
    return await input.computeDuration();
  };

  it('is trimmed', async () => {
    const { bytes, type } = await run(wav(3), 'audio/wav', { op: 'trim', start: 1, end: 2.5 });
    expect(type).toBe('audio/wav');
    expect(await lengthOf(bytes)).toBeCloseTo(1.5, 1);
  });

  it('cannot be trimmed to nothing', async () => {
    await expect(run(wav(1), 'audio/wav', { op: 'trim', start: 2 })).rejects.toThrow(MediaError);
  });

  it.each([
    ['mp3', 'audio/mpeg'],
    ['ogg', 'audio/ogg'],
    ['m4a', 'audio/mp4'],
  ] as const)('is converted to %s', async (format, type) => {
    const result = await run(wav(1), 'audio/wav', { op: 'convert', format });
    expect(result.type).toBe(type);
    expect(await lengthOf(result.bytes)).toBeCloseTo(1, 0);
    expect(await typeOfFile(result.bytes, `x.${format}`)).toBe(format === 'm4a' ? 'video/mp4' : type);
  });

  it.each(['mp3', 'ogg', 'm4a', 'wav'] as const)('is compressed to a size as %s', async (format) => {
    const { bytes, type } = await run(wav(4), 'audio/wav', { op: 'convert', format });
    for (const targetKb of [10, 16]) {
      const small = await run(bytes, type, { op: 'compress', targetKb }).catch((error: unknown) => error);
      // Samples without compression need 8,000 bytes a second.
      if (format === 'wav' && small instanceof Error)
        expect(small.message).toBe(
          'The recording cannot be made that small: the smallest possible size is 32 KB.',
        );
      else expect((small as { bytes: Uint8Array }).bytes.byteLength).toBeLessThanOrEqual(targetKb * 1024);
    }
  });

  it('cannot be cropped', async () => {
    await expect(run(wav(1), 'audio/wav', { op: 'crop', aspect: '1:1' })).rejects.toThrow(MediaError);
  });
});
