/**
 * The part of the JSON Schema of SARIF 2.1.0 (OASIS Standard, Errata 01) for the objects and properties of our reports.
 * It forbids all others, so that every report that it accepts is valid under the whole schema.
 */
const object = (required: string[], properties: Record<string, unknown>) => ({
  type: 'object',
  additionalProperties: false,
  required,
  properties,
});

const ref = (name: string) => ({ $ref: `#/$defs/${name}` });
const list = (items: unknown, more: object = {}) => ({ type: 'array', items, ...more });
const set = (items: unknown) => list(items, { uniqueItems: true });
const text = { type: 'string' };
const natural = { type: 'integer', minimum: 1 };
const level = { enum: ['none', 'note', 'warning', 'error'] };

export const SARIF_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  ...object(['version', 'runs'], {
    $schema: { type: 'string', format: 'uri' },
    version: { enum: ['2.1.0'] },
    runs: list(ref('run')),
  }),
  $defs: {
    run: object(['tool'], {
      tool: object(['driver'], { driver: ref('toolComponent') }),
      columnKind: { enum: ['utf16CodeUnits', 'unicodeCodePoints'] },
      invocations: list(ref('invocation')),
      results: list(ref('result')),
    }),
    toolComponent: object(['name'], {
      name: text,
      version: text,
      semanticVersion: text,
      rules: set(ref('reportingDescriptor')),
    }),
    reportingDescriptor: object(['id'], {
      id: text,
      shortDescription: ref('multiformatMessageString'),
      fullDescription: ref('multiformatMessageString'),
      help: ref('multiformatMessageString'),
      defaultConfiguration: object([], { level }),
    }),
    multiformatMessageString: object(['text'], { text, markdown: text }),
    message: object(['text'], { text }),
    invocation: object(['executionSuccessful'], {
      executionSuccessful: { type: 'boolean' },
      toolExecutionNotifications: list(object(['message'], { message: ref('message'), level })),
    }),
    result: object(['message'], {
      ruleId: text,
      ruleIndex: { type: 'integer', minimum: -1 },
      level,
      message: ref('message'),
      locations: list(ref('location')),
      partialFingerprints: { type: 'object', additionalProperties: text },
    }),
    location: object([], {
      physicalLocation: object(['artifactLocation'], {
        artifactLocation: object(['uri'], {
          uri: { type: 'string', format: 'uri-reference' },
          uriBaseId: text,
        }),
        region: object(['startLine'], { startLine: natural, startColumn: natural, endColumn: natural }),
      }),
      logicalLocations: set(object([], { fullyQualifiedName: text, kind: text })),
    }),
  },
};
