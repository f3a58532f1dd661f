import type { MediaRequest } from '@svc/contracts';
import {
  ALL_FORMATS,
  type AudioCodec,
  AudioSample,
  BufferSource,
  BufferTarget,
  Conversion,
  type ConversionAudioOptions,
  type ConversionVideoOptions,
  Input,
  Mp3OutputFormat,
  Mp4OutputFormat,
  OggOutputFormat,
  Output,
  type OutputFormat,
  Quality,
  type VideoCodec,
  WavOutputFormat,
  WebMOutputFormat,
} from 'mediabunny';
import { MediaError, tooSmall } from './media-task.ts';
import { bitrateFor, bitrateOf, isLowest, type Plan, planFor, type Tracks } from './recording-plans.ts';
import {
  isRecordingFormat,
  RECORDING_TYPES,
  type RecordingFormat,
  recordingFormatOf,
} from './recording-types.ts';

type Container = {
  format: () => OutputFormat;
  audio: AudioCodec[];
  video: VideoCodec[];
};

/** The codecs of each format. Audio that already has one of the codecs is copied, unless it is to be compressed. */
const CONTAINERS: Readonly<Record<RecordingFormat, Container>> = {
  mp4: {
    format: () => new Mp4OutputFormat(),
    audio: ['aac', 'mp3', 'opus'],
    video: ['avc', 'hevc', 'av1', 'vp9'],
  },
  webm: { format: () => new WebMOutputFormat(), audio: ['opus', 'vorbis'], video: ['vp9', 'vp8', 'av1'] },
  mp3: { format: () => new Mp3OutputFormat(), audio: ['mp3'], video: [] },
  wav: { format: () => new WavOutputFormat(), audio: ['pcm-s16', 'pcm-s24', 'pcm-f32', 'pcm-u8'], video: [] },
  m4a: { format: () => new Mp4OutputFormat(), audio: ['aac'], video: [] },
  ogg: { format: () => new OggOutputFormat(), audio: ['opus', 'vorbis'], video: [] },
};

/** Shares of the bitrate of a recording that are tried where the result would be larger than the recording. */
const LOWER = [0.9, 0.7, 0.5, 0.3, 0.15];
const MAX_ROUNDS = 5;

/** A recording and its request. */
type Work = {
  bytes: Uint8Array;
  format: RecordingFormat;
  request: MediaRequest;
  tracks: Tracks;
  encodes: boolean;
};

/** How tracks are written: copied where possible, at a level of quality, or by a plan. */
type Manner = 'copied' | { level: Quality } | Plan;

function levelOf(quality: number): Quality {
  const levels = ['very-low', 'low', 'medium', 'high', 'very-high'] as const;
  return new Quality(levels[Math.min(4, Math.floor(quality / 20))] ?? 'medium');
}

function formatFor(type: string, { op, format }: MediaRequest): RecordingFormat {
  const name = op === 'convert' ? format : (recordingFormatOf(type) ?? undefined);
  if (!isRecordingFormat(name)) throw new MediaError(`Recordings cannot be converted to ${name}.`);
  return name;
}

const isPcm = (format: RecordingFormat): boolean => format === 'wav';

const codecIn = <C extends string>(
  fitting: readonly C[],
  have: readonly { codec: string }[],
  again: boolean,
) => (again || have.some(({ codec }) => !fitting.includes(codec as C)) ? fitting[0] : undefined);

/** A part of a sample, in one format for all. @param from its first frame */
function partOf(sample: AudioSample, from: number, frames: number): AudioSample {
  const options = { planeIndex: 0, format: 'f32', frameOffset: from, frameCount: frames } as const;
  const data = new Float32Array(sample.allocationSize(options) / Float32Array.BYTES_PER_ELEMENT);
  sample.copyTo(data, options);
  const { numberOfChannels, sampleRate } = sample;
  const timestamp = sample.timestamp + from / sampleRate;
  return new AudioSample({ data, format: 'f32', numberOfChannels, sampleRate, timestamp });
}

/** Codecs without compression, whose samples do not come from the decoders for Node. */
const isUncompressed = (codec: string): boolean => codec.startsWith('pcm-') || codec.endsWith('law');

/** The share of a second below which a first sample is dropped rather than all others divided by its length. */
const SHORT = 0.01;

/**
 * Divides the samples so that none is longer than the first: the encoders for Node keep the buffer of the first one, and write longer
 * ones beyond its end, which corrupts the memory of the process. Where a trim begins, the first sample is a part of one.
 */
function inEvenParts(): (sample: AudioSample) => AudioSample | AudioSample[] | null {
  let most = 0;
  let isFirst = true;
  return (sample) => {
    const { numberOfFrames: frames, sampleRate } = sample;
    const isShort = isFirst && frames < sampleRate * SHORT;
    isFirst = false;
    if (isShort) return null;
    most ||= frames;
    const parts = Array.from({ length: Math.ceil(frames / most) }, (_, n) => n * most);
    return parts.map((from) => partOf(sample, from, Math.min(most, frames - from)));
  };
}

function audioOptions({ format, tracks }: Work, manner: Manner): ConversionAudioOptions {
  const codec = codecIn(CONTAINERS[format].audio, tracks.audio, manner !== 'copied');
  const isOfSamples = tracks.audio.some((track) => isUncompressed(track.codec));
  const encoded = isOfSamples && !isPcm(format) ? { process: inEvenParts() } : {};
  if (manner === 'copied') return codec === undefined ? {} : { codec, ...encoded };
  const again = { forceTranscode: true, ...(codec && { codec }), ...encoded };
  if ('level' in manner) return { ...again, quality: manner.level };
  const { bitrate, channels, rate, codec: pcm } = manner.audio;
  return {
    ...again,
    ...(pcm ? { codec: pcm } : { quality: new Quality({ bitrate }) }),
    ...(channels !== undefined && { numberOfChannels: channels }),
    ...(rate !== undefined && { sampleRate: rate }),
  };
}

function videoOptions({ format, tracks }: Work, manner: Manner): ConversionVideoOptions {
  const { video } = CONTAINERS[format];
  // Converting a video to an audio format means: audio only.
  if (video.length === 0) return { discard: true };
  const codec = codecIn(video, tracks.video, manner !== 'copied');
  if (manner === 'copied') return codec === undefined ? {} : { codec };
  const again = { forceTranscode: true, ...(codec && { codec }) };
  if ('level' in manner) return { ...again, quality: manner.level };
  const { bitrate, width } = manner.video;
  return { ...again, quality: new Quality({ bitrate }), ...(width !== undefined && { width }) };
}

/** Writes the recording, or the part of it that the request keeps. @throws MediaError */
async function written(work: Work, manner: Manner): Promise<Uint8Array> {
  const { bytes, format, request, tracks, encodes } = work;
  const { start, end } = request;
  using input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS });
  const target = new BufferTarget();
  const conversion = await Conversion.init({
    input,
    output: new Output({ format: CONTAINERS[format].format(), target }),
    audio: audioOptions(work, manner),
    video: videoOptions(work, manner),
    ...(request.op === 'trim' && {
      trim: {
        ...(start !== undefined && { start }),
        ...(end !== undefined && { end: Math.min(end, tracks.seconds) }),
      },
    }),
    tags: {},
    showWarnings: false,
  });
  // A missing track is an error: otherwise the user would send a video without its audio.
  const missing = conversion.discardedTracks.filter(({ reason }) => reason !== 'discarded_by_user');
  if (!conversion.isValid || missing.length > 0) {
    throw new MediaError(
      encodes ? 'The recording cannot be written that way.' : 'This client has no encoder for recordings.',
    );
  }
  await conversion.execute();
  if (!target.buffer) throw new MediaError('The recording could not be written.');
  return new Uint8Array(target.buffer);
}

/** Encodes a recording within a size. @throws MediaError with the smallest possible size */
async function writtenWithin(work: Work, maxBytes: number): Promise<Uint8Array> {
  let total = bitrateFor(work.tracks, maxBytes);
  let smallest = Number.POSITIVE_INFINITY;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    // The last round finds the smallest possible size.
    const plan = planFor(work.tracks, round === MAX_ROUNDS - 1 ? 0 : total, isPcm(work.format));
    const result = await written(work, plan);
    if (result.byteLength <= maxBytes) return result;
    smallest = Math.min(smallest, result.byteLength);
    if (isLowest(plan, work.tracks)) break;
    total *= Math.min(0.9, (maxBytes / result.byteLength) * 0.95);
  }
  throw tooSmall('recording', smallest);
}

/** Writes a recording in at most the bytes that it has: as it is without its titles and places, or at a lower bitrate. */
async function notLarger(work: Work): Promise<Uint8Array> {
  const maxBytes = work.bytes.byteLength;
  const copied = await written(work, 'copied').catch(() => null);
  if (copied && copied.byteLength <= maxBytes) return copied;
  for (const share of LOWER) {
    const plan = planFor(work.tracks, bitrateOf(work.tracks) * share, isPcm(work.format));
    const result = await written(work, plan);
    if (result.byteLength <= maxBytes) return result;
  }
  throw new MediaError('The result would be larger than the file.');
}

async function tracksIn(bytes: Uint8Array): Promise<Tracks> {
  using input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS });
  const seconds = await input.computeDuration();
  const audio = (await input.getAudioTracks()).map(async (track) => ({
    codec: (await track.getCodec()) ?? 'unknown',
    bitrate: (await track.computePacketStats()).averageBitrate,
    channels: await track.getNumberOfChannels(),
    rate: await track.getSampleRate(),
  }));
  const video = (await input.getVideoTracks()).map(async (track) => ({
    codec: (await track.getCodec()) ?? 'unknown',
    bitrate: (await track.computePacketStats()).averageBitrate,
    width: await track.getDisplayWidth(),
    height: await track.getDisplayHeight(),
  }));
  return { seconds, audio: await Promise.all(audio), video: await Promise.all(video) };
}

/** Loads the encoders for Node, if the client has installed them. */
async function loadEncoders(): Promise<boolean> {
  try {
    const { registerMediabunnyServer } = await import('@mediabunny/server');
    registerMediabunnyServer();
    return true;
  } catch {
    return false;
  }
}

async function operated(work: Work, given: RecordingFormat | null): Promise<Uint8Array> {
  const { bytes, format, request } = work;
  const { op, quality, targetKb } = request;
  if (op === 'compress' && targetKb !== undefined && targetKb * 1024 < bytes.byteLength)
    return writtenWithin(work, targetKb * 1024);
  const result = await written(work, quality === undefined ? 'copied' : { level: levelOf(quality) });
  // Another format may need more bytes.
  const isAsked = op === 'convert' && format !== given;
  return isAsked || result.byteLength <= bytes.byteLength ? result : notLarger(work);
}

/**
 * Runs a media operation on a recording. Titles, places and cover images of the original are dropped. The result is not larger than
 * the recording, unless the request asks for another format.
 * @param encoders loads the encoders, if there are any
 * @throws MediaError; the errors of mediabunny for a damaged file
 */
export async function prepareRecording(
  bytes: Uint8Array,
  type: string,
  request: MediaRequest,
  encoders: () => Promise<boolean> = loadEncoders,
): Promise<{ bytes: Uint8Array; type: string }> {
  if (request.op === 'resize' || request.op === 'crop') {
    throw new MediaError('Recordings can only be trimmed, converted and compressed.');
  }
  const format = formatFor(type, request);
  const encodes = await encoders();
  const tracks = await tracksIn(bytes);
  if (request.op === 'trim' && (request.start ?? 0) >= tracks.seconds)
    throw new MediaError('The recording ends before that.');
  const result = await operated({ bytes, format, request, tracks, encodes }, recordingFormatOf(type));
  return { bytes: result, type: RECORDING_TYPES[format] };
}
