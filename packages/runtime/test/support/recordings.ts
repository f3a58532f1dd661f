import {
  ALL_FORMATS,
  BufferSource,
  BufferTarget,
  Conversion,
  Input,
  MovOutputFormat,
  Output,
} from 'mediabunny';

/** A WAV file of this length in seconds: 16 bits, one channel, 8,000 samples a second. */
export function wav(seconds: number): Buffer {
  const rate = 8_000;
  const samples = Math.round(rate * seconds);
  const file = Buffer.alloc(44 + samples * 2);
  file.write('RIFF', 0);
  file.writeUInt32LE(36 + samples * 2, 4);
  file.write('WAVEfmt ', 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(rate, 24);
  file.writeUInt32LE(rate * 2, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36);
  file.writeUInt32LE(samples * 2, 40);
  for (let at = 0; at < samples; at += 1)
    file.writeInt16LE(Math.round(8_000 * Math.sin(at / 8)), 44 + at * 2);
  return file;
}

/** The same in QuickTime, without compression, as cameras record sound. */
export async function mov(seconds: number): Promise<Uint8Array> {
  const target = new BufferTarget();
  using input = new Input({ source: new BufferSource(wav(seconds)), formats: ALL_FORMATS });
  const output = new Output({ format: new MovOutputFormat(), target });
  await (await Conversion.init({ input, output, showWarnings: false })).execute();
  return new Uint8Array(target.buffer ?? []);
}
