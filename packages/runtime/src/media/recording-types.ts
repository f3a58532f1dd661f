/** Formats of recordings that can be written, and their media types. */
export const RECORDING_TYPES = {
  mp4: 'video/mp4',
  webm: 'video/webm',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  m4a: 'audio/mp4',
  ogg: 'audio/ogg',
} as const;

export type RecordingFormat = keyof typeof RECORDING_TYPES;

/** Formats that are only read, and the format of their results unless a request names another. MP4 is derived from QuickTime, which phones record. */
const KINDRED: Readonly<Record<string, RecordingFormat>> = {
  'video/quicktime': 'mp4',
  'video/3gpp': 'mp4',
  'video/3gpp2': 'mp4',
  'video/matroska': 'webm',
  'audio/aac': 'm4a',
  'audio/flac': 'm4a',
};

/** The default output format for a media type; null if it is not a supported recording type. */
export const recordingFormatOf = (type: string): RecordingFormat | null =>
  KINDRED[type] ??
  (Object.keys(RECORDING_TYPES) as RecordingFormat[]).find((format) => RECORDING_TYPES[format] === type) ??
  null;

/** Whether a name is one of these formats. */
export const isRecordingFormat = (name: string | undefined): name is RecordingFormat =>
  name !== undefined && Object.hasOwn(RECORDING_TYPES, name);
