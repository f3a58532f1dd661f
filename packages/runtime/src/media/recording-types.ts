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

/**
 * The format that a recording of a media type is written in unless another is asked for; null for what is not opened as a
 * recording. QuickTime, which telephones make, is what MP4 came from.
 */
export const recordingFormatOf = (type: string): RecordingFormat | null =>
  type === 'video/quicktime'
    ? 'mp4'
    : ((Object.keys(RECORDING_TYPES) as RecordingFormat[]).find(
        (format) => RECORDING_TYPES[format] === type,
      ) ?? null);

/** Whether a name is that of such a format. */
export const isRecordingFormat = (name: string | undefined): name is RecordingFormat =>
  name !== undefined && Object.hasOwn(RECORDING_TYPES, name);
