import { RECORD, writeRecord } from '../../test/regexes/record.ts';

/** The regular expressions that are proven to take linear time, so that the tests of every change prove new ones alone. */
export const generateRegexRecord = async (): Promise<Map<string, string>> =>
  new Map([[RECORD, await writeRecord()]]);
