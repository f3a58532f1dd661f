/** Formats that recordings are written in, and their media types. */
export const RECORDING_TYPES = {
  mp4: 'video/mp4',
  webm: 'video/webm',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  m4a: 'audio/mp4',
  ogg: 'audio/ogg',
} as const;

export type RecordingFormat = keyof typeof RECORDING_TYPES;

/** Containers that are read as what they are kin to: QuickTime, which telephones make, is what MP4 came from. */
const KINDRED: Readonly<Record<string, RecordingFormat>> = {
  'video/quicktime': 'mp4',
  'video/3gpp': 'mp4',
  'video/3gpp2': 'mp4',
  'video/matroska': 'webm',
};

/** The format that a recording of a media type is written in unless another is asked for; null for what is not opened as one. */
export const recordingFormatOf = (type: string): RecordingFormat | null =>
  KINDRED[type] ??
  (Object.keys(RECORDING_TYPES) as RecordingFormat[]).find((format) => RECORDING_TYPES[format] === type) ??
  null;

/** Whether a name is that of such a format. */
export const isRecordingFormat = (name: string | undefined): name is RecordingFormat =>
  name !== undefined && Object.hasOwn(RECORDING_TYPES, name);
