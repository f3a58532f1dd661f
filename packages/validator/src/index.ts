export { asManifest } from './as-manifest.ts';
export { exampleIssues } from './example.ts';
export type { Location } from './json/read-json.ts';
export type { Example, Level, Mode, Sample } from './rule.ts';
export { type Code, RULES } from './rules/index.ts';
export {
  type BundleVerdict,
  hasErrors,
  type ManifestReading,
  parseManifest,
  type ValidateOptions,
  validateBundle,
  validateManifest,
} from './validate.ts';
