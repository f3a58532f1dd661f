import { RECORD, writeRecord } from '../../test/regexes/record.ts';

/** Records the regular expressions that are proven to run in linear time, so that tests check only new ones. */
export const generateRegexRecord = async (): Promise<Map<string, string>> =>
  new Map([[RECORD, await writeRecord()]]);
