import { z } from 'zod';

/** Objects of the API with the name under which OpenAPI lists them. */
export const named = {
  object: <const Shape extends z.core.$ZodLooseShape>(id: string, shape: Shape) =>
    z.object(shape).meta({ id }),
  strictObject: <const Shape extends z.core.$ZodLooseShape>(id: string, shape: Shape) =>
    z.strictObject(shape).meta({ id }),
};
