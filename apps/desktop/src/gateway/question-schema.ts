import type { ElicitRequestFormParams } from '@modelcontextprotocol/server';
import type { QuestionField } from '@svc/runtime';

type Schema = ElicitRequestFormParams['requestedSchema'];

const bounds = (names: readonly [string, string], { min, max }: QuestionField) => ({
  ...(min !== null && { [names[0]]: min }),
  ...(max !== null && { [names[1]]: max }),
});

const optionsOf = ({ options }: QuestionField) =>
  options.map(({ value, title }) => ({ const: value, title }));

function typeOf(field: QuestionField): object {
  switch (field.type) {
    case 'choice':
      return { type: 'string', oneOf: optionsOf(field) };
    case 'choices':
      return {
        type: 'array',
        items: { anyOf: optionsOf(field) },
        ...bounds(['minItems', 'maxItems'], field),
      };
    case 'string':
      return {
        ...{ type: 'string', ...bounds(['minLength', 'maxLength'], field) },
        ...(field.format !== null && { format: field.format }),
      };
    case 'boolean':
      return { type: 'boolean' };
    default:
      return { type: field.type, ...bounds(['minimum', 'maximum'], field) };
  }
}

/** The fields of a question as the schema of a form (MCP, "Elicitation"): rebuilt from what the card says, not as the server sent it. */
export const questionSchema = (fields: readonly QuestionField[]): Schema => ({
  type: 'object',
  properties: Object.fromEntries(
    fields.map((field) => {
      const { name, title, description, initial } = field;
      const texts = { title, ...(description !== '' && { description }) };
      return [name, { ...typeOf(field), ...texts, ...(initial !== null && { default: initial }) }];
    }),
  ) as Schema['properties'],
  required: fields.filter(({ required }) => required).map(({ name }) => name),
});
