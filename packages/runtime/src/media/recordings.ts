import type { MediaRequest } from '@svc/contracts';
import {
  ALL_FORMATS,
  type AudioCodec,
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
import { MediaError } from './media-error.ts';
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

/** The share of the target size for audio and video; the container needs the rest. */
const PAYLOAD = 0.92;
/** Minimum audio bitrate of the encoders, and the share of audio in a video. */
const MIN_BITRATE = 8_000;
const SOUND_SHARE = 0.1;

type Track = { quality?: Quality };

/** The bitrates for a target size. */
function qualities(
  request: MediaRequest,
  seconds: number,
  hasVideo: boolean,
): { audio: Track; video: Track } {
  if (request.targetKb !== undefined) {
    const bitrate = (request.targetKb * 1024 * 8 * PAYLOAD) / Math.max(seconds, 0.1);
    const sound = hasVideo ? Math.min(bitrate * SOUND_SHARE, 128_000) : Math.min(bitrate, 320_000);
    if (sound < MIN_BITRATE) throw new MediaError('The recording cannot be made that small.');
    return {
      audio: { quality: new Quality({ bitrate: Math.round(sound) }) },
      video: { quality: new Quality({ bitrate: Math.max(1, Math.round(bitrate - sound)) }) },
    };
  }
  if (request.quality === undefined) return { audio: {}, video: {} };
  const level = levelOf(request.quality);
  return { audio: { quality: new Quality(level) }, video: { quality: new Quality(level) } };
}

function levelOf(quality: number) {
  const levels = ['very-low', 'low', 'medium', 'high', 'very-high'] as const;
  return levels[Math.min(4, Math.floor(quality / 20))] ?? 'medium';
}

function formatFor(type: string, { op, format }: MediaRequest): RecordingFormat {
  const name = op === 'convert' ? format : (recordingFormatOf(type) ?? undefined);
  if (!isRecordingFormat(name)) throw new MediaError(`Recordings cannot be converted to ${name}.`);
  return name;
}

/** Re-encodes where the codec does not fit, or a size or quality is requested. */
function tracksFor(
  container: Container,
  request: MediaRequest,
  seconds: number,
  codecs: { audio: string[]; video: string[] },
) {
  const { audio, video } = qualities(request, seconds, codecs.video.length > 0);
  const again = request.op === 'compress' || request.quality !== undefined;
  const canCopy = (have: string[], fitting: readonly string[]) =>
    have.every((codec) => fitting.includes(codec));
  const audioOptions: ConversionAudioOptions = {
    ...audio,
    forceTranscode: again,
    ...(!canCopy(codecs.audio, container.audio) && container.audio[0] && { codec: container.audio[0] }),
  };
  const videoOptions: ConversionVideoOptions = {
    ...video,
    forceTranscode: again,
    // Converting a video to an audio format means: audio only.
    ...(container.video.length === 0 && { discard: true }),
    ...(!canCopy(codecs.video, container.video) && container.video[0] && { codec: container.video[0] }),
  };
  return { audio: audioOptions, video: videoOptions };
}

async function codecsOf(input: Input): Promise<{ audio: string[]; video: string[] }> {
  const [audio, video] = await Promise.all([input.getAudioTracks(), input.getVideoTracks()]);
  const names = async (tracks: readonly { getCodec(): Promise<string | null> }[]) =>
    Promise.all(tracks.map(async (track) => (await track.getCodec()) ?? 'unknown'));
  return { audio: await names(audio), video: await names(video) };
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

/**
 * Runs a media operation on a recording. Titles, places and cover images of the original are dropped.
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
  const container = CONTAINERS[format];
  const encodes = await encoders();
  using input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS });
  const target = new BufferTarget();
  const seconds = await input.computeDuration();
  const { start, end } = request;
  if (request.op === 'trim' && (start ?? 0) >= seconds)
    throw new MediaError('The recording ends before that.');
  const conversion = await Conversion.init({
    input,
    output: new Output({ format: container.format(), target }),
    ...tracksFor(container, request, seconds, await codecsOf(input)),
    ...(request.op === 'trim' && {
      trim: {
        ...(start !== undefined && { start }),
        ...(end !== undefined && { end: Math.min(end, seconds) }),
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
  return { bytes: new Uint8Array(target.buffer), type: RECORDING_TYPES[format] };
}
