/** What is in a recording: its length, and its tracks with their average bitrates, in bits per second. */
export type Tracks = {
  seconds: number;
  audio: readonly { codec: string; bitrate: number; channels: number; rate: number }[];
  video: readonly { codec: string; bitrate: number; width: number; height: number }[];
};

/** How the tracks of a recording are encoded again. A missing value is as in the recording. */
export type Plan = {
  audio: { bitrate: number; channels?: number; rate?: number; codec?: 'pcm-s16' | 'pcm-u8' };
  video: { bitrate: number; width?: number };
};

/** The share of a size for audio and video; the container needs the rest. */
const PAYLOAD = 0.92;
/** Bitrates that encoders support at least, and the share of audio in a video. */
const MIN_AUDIO = 8_000;
const MIN_VIDEO = 10_000;
const SOUND_SHARE = 0.1;
const MAX_SOUND = 320_000;
const MAX_SOUND_OF_VIDEO = 128_000;
/** Bits per pixel and second below which a smaller picture looks better, and the smallest width. */
const MIN_DENSITY = 0.8;
const MIN_WIDTH = 64;
/** Below these bitrates one channel, and a lower sample rate, sound better. */
const MONO_BELOW = 48_000;
const RATES = [
  { below: 16_000, rate: 16_000 },
  { below: 32_000, rate: 24_000 },
];
const MIN_PCM_RATE = 8_000;

const sum = (list: readonly { bitrate: number }[]): number =>
  list.reduce((total, { bitrate }) => total + bitrate, 0);

function videoPlan({ video }: Tracks, bitrate: number): Plan['video'] {
  const { width = MIN_WIDTH, height = MIN_WIDTH } = video[0] ?? {};
  const scale = Math.sqrt(Math.min(1, bitrate / (width * height * MIN_DENSITY)));
  const scaled = Math.max(Math.min(width, MIN_WIDTH), Math.round((width * scale) / 2) * 2);
  return { bitrate: Math.round(bitrate), ...(scaled < width && { width: scaled }) };
}

function audioPlan({ audio }: Tracks, bitrate: number): Plan['audio'] {
  const { channels = 1, rate = 48_000 } = audio[0] ?? {};
  const lower = RATES.find(({ below }) => bitrate < below)?.rate ?? rate;
  return {
    bitrate: Math.round(bitrate),
    ...(channels > 1 && bitrate < MONO_BELOW && { channels: 1 }),
    ...(lower < rate && { rate: lower }),
  };
}

/** Samples that are not compressed become fewer. */
function pcmPlan({ audio }: Tracks, bitrate: number): Plan['audio'] {
  const { channels = 1, rate = 48_000 } = audio[0] ?? {};
  const kept = bitrate < rate * 16 * channels * 0.5 ? 1 : channels;
  const wide = bitrate >= MIN_PCM_RATE * 16;
  const samples = Math.floor(bitrate / (kept * (wide ? 16 : 8)));
  return {
    bitrate: Math.round(bitrate),
    ...(kept < channels && { channels: kept }),
    rate: Math.max(Math.min(MIN_PCM_RATE, rate), Math.min(rate, samples)),
    codec: wide ? 'pcm-s16' : 'pcm-u8',
  };
}

/** Whether the encoders cannot make less of a recording than a plan does. */
export const isLowest = ({ audio, video }: Plan, { video: tracks }: Tracks): boolean =>
  audio.bitrate <= MIN_AUDIO && (tracks.length === 0 || video.bitrate <= MIN_VIDEO);

/** The plan for a total bitrate, at most that of the recording. @param isPcm whether its format has no compression */
export function planFor(tracks: Tracks, total: number, isPcm: boolean): Plan {
  const hasVideo = tracks.video.length > 0;
  const most = hasVideo ? Math.min(total * SOUND_SHARE, MAX_SOUND_OF_VIDEO) : Math.min(total, MAX_SOUND);
  const ofSound = Math.min(isPcm ? total : most, sum(tracks.audio) || most);
  const sound = Math.max(MIN_AUDIO, ofSound);
  const picture = Math.max(
    MIN_VIDEO,
    Math.min(total - (tracks.audio.length > 0 ? sound : 0), sum(tracks.video)),
  );
  return {
    audio: isPcm ? pcmPlan(tracks, sound) : audioPlan(tracks, sound),
    video: videoPlan(tracks, picture),
  };
}

/** The total bitrate for a size in bytes. */
export const bitrateFor = ({ seconds }: Tracks, bytes: number): number =>
  (bytes * 8 * PAYLOAD) / Math.max(seconds, 0.1);

/** The total bitrate of a recording. */
export const bitrateOf = ({ audio, video }: Tracks): number => sum(audio) + sum(video);
