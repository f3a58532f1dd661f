import type { AuthEndpoints, FileReach, Footprint, ToolReach } from '@svc/permissions';

/** A footprint as JSON carries it: maps as lists of their entries. */
type FootprintRecord = Omit<Footprint, 'fileParams' | 'tools' | 'endpoints'> & {
  fileParams: [string, FileReach][];
  tools: [string, ToolReach][];
  endpoints: [string, AuthEndpoints][];
};

/** A footprint as text to keep. */
export function writeFootprint(footprint: Footprint): string {
  const record: FootprintRecord = {
    ...footprint,
    fileParams: [...footprint.fileParams],
    tools: [...footprint.tools],
    endpoints: [...footprint.endpoints],
  };
  return JSON.stringify(record);
}

/** The footprint that `writeFootprint` wrote. */
export function readFootprint(text: string): Footprint {
  const record = JSON.parse(text) as FootprintRecord;
  return {
    ...record,
    fileParams: new Map(record.fileParams),
    tools: new Map(record.tools),
    endpoints: new Map(record.endpoints),
  };
}
