import { parentPort } from 'node:worker_threads';
import { registerMediabunnyServer } from '@mediabunny/server';
import {
  AdtsOutputFormat,
  type AudioCodec,
  AudioSample,
  AudioSampleSource,
  BufferTarget,
  FlacOutputFormat,
  MkvOutputFormat,
  MovOutputFormat,
  Mp3OutputFormat,
  Mp4OutputFormat,
  OggOutputFormat,
  Output,
  Quality,
  type VideoCodec,
  VideoSample,
  VideoSampleSource,
  WavOutputFormat,
  WebMOutputFormat,
} from 'mediabunny';

// A thread that encodes recordings. Encoders stay registered for all modules of a thread, and tests of the runtime need one without.

const FORMATS = {
  aac: () => new AdtsOutputFormat(),
  flac: () => new FlacOutputFormat(),
  mkv: () => new MkvOutputFormat(),
  mov: () => new MovOutputFormat(),
  mp3: () => new Mp3OutputFormat(),
  mp4: () => new Mp4OutputFormat(),
  ogg: () => new OggOutputFormat(),
  wav: () => new WavOutputFormat(),
  webm: () => new WebMOutputFormat(),
};

/** A recording of one second; a missing value is that of an ordinary one. */
export type Recorded = {
  format: keyof typeof FORMATS;
  audio?: AudioCodec;
  video?: VideoCodec;
  bitrate?: number;
  rate?: number;
  channels?: number;
};

const FRAMES_PER_SECOND = 10;
const SIDE = 64;
/** Frames of sound in a sample. */
const PART = 960;

async function addPictures(source: VideoSampleSource): Promise<void> {
  const options = { format: 'I420', codedWidth: SIDE, codedHeight: SIDE } as const;
  for (let n = 0; n < FRAMES_PER_SECOND; n += 1) {
    const data = new Uint8Array((SIDE * SIDE * 3) / 2).map((_, at) => (at * (n + 3)) & 255);
    const [timestamp, duration] = [n / FRAMES_PER_SECOND, 1 / FRAMES_PER_SECOND];
    using sample = new VideoSample(data, { ...options, timestamp, duration });
    await source.add(sample);
  }
}

async function addSound(source: AudioSampleSource, sampleRate: number, channels: number): Promise<void> {
  const options = { format: 'f32', numberOfChannels: channels, sampleRate } as const;
  for (let from = 0; from < sampleRate; from += PART) {
    const at = (index: number) => from + Math.floor(index / channels);
    const data = new Float32Array(PART * channels).map((_, index) => 0.3 * Math.sin(at(index) / 8));
    using sample = new AudioSample({ data, ...options, timestamp: from / sampleRate });
    await source.add(sample);
  }
}

async function record({
  format,
  audio,
  video,
  bitrate = 64_000,
  rate = 48_000,
  channels = 1,
}: Recorded): Promise<Uint8Array> {
  const target = new BufferTarget();
  const output = new Output({ format: FORMATS[format](), target });
  const quality = new Quality({ bitrate });
  const pictures = video && new VideoSampleSource({ codec: video, quality });
  const sound = audio && new AudioSampleSource({ codec: audio, quality });
  if (pictures) output.addVideoTrack(pictures, { frameRate: FRAMES_PER_SECOND });
  if (sound) output.addAudioTrack(sound);
  await output.start();
  if (pictures) await addPictures(pictures);
  if (sound) await addSound(sound, rate, channels);
  await output.finalize();
  return new Uint8Array(target.buffer ?? []);
}

if (parentPort) {
  registerMediabunnyServer();
  parentPort.on('message', async (recorded: Recorded) => parentPort?.postMessage(await record(recorded)));
}
