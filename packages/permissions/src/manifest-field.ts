import type { Manifest, MediaRequest } from '@svc/contracts';

/** Values that are compared as a whole. */
type Whole = MediaRequest;

type Plain = string | number | boolean;

type Items<Item, Path extends string> = Item extends Plain ? Path : Path | FieldsIn<Item, Path>;

/** An object that may be left out can come and go, so that its path has a class beside those of its fields. */
type Optional<Value, Path extends string> = undefined extends Value
  ? NonNullable<Value> extends Plain | Whole | readonly unknown[] | Record<string, string>
    ? never
    : string extends keyof NonNullable<Value>
      ? never
      : Path
  : never;

type FieldsIn<Value, Path extends string> = Value extends Plain | Whole
  ? Path
  : Value extends readonly (infer Item)[]
    ? Items<Item, `${Path}/*`>
    : Value extends object
      ? string extends keyof Value
        ? Items<Value[string & keyof Value], `${Path}/*`>
        : {
            [Key in keyof Value & string]-?:
              | Optional<Value[Key], `${Path}/${Key}`>
              | FieldsIn<NonNullable<Value[Key]>, `${Path}/${Key}`>;
          }[keyof Value & string]
      : never;

/**
 * Every place in a manifest that an update can change, as a JSON Pointer with `*` for the items of a list or the keys of
 * a map: `/accounts/*` is an account that comes or goes, `/accounts/*` with `/label` behind it its label.
 */
export type ManifestField = FieldsIn<Manifest, ''>;
