// What the client's declarations need of the schema library, so that hosts need not install it. Only the types that schemas stand for
// are told; a schema that is not listed here makes the build of the declarations fail.

/** A schema: what comes out of it and what goes into it. `Absent` tells on which sides a field with it may be missing. */
export interface Schema<Output = unknown, Input = Output, Absent extends "in" | "out" = never> {
  readonly output: Output;
  readonly input: Input;
  readonly absent: Absent;
}

type Any = Schema<unknown, unknown, "in" | "out">;
type Shape = Readonly<Record<string, Any>>;
type Flat<T> = { [K in keyof T]: T[K] };
type AbsentKeys<S extends Shape, Side> = { [K in keyof S]: Side extends S[K]["absent"] ? K : never }[keyof S];
type Outputs<S extends Shape> = Flat<
  { -readonly [K in Exclude<keyof S, AbsentKeys<S, "out">>]: S[K]["output"] } & {
    -readonly [K in AbsentKeys<S, "out">]?: S[K]["output"];
  }
>;
type Inputs<S extends Shape> = Flat<
  { -readonly [K in Exclude<keyof S, AbsentKeys<S, "in">>]: S[K]["input"] } & {
    -readonly [K in AbsentKeys<S, "in">]?: S[K]["input"];
  }
>;

export declare namespace z {
  type infer<T extends Any> = T["output"];
  type output<T extends Any> = T["output"];
  type input<T extends Any> = T["input"];

  type ZodType<Output = unknown, Input = unknown, _Internals = unknown> = Schema<Output, Input>;
  type ZodString = Schema<string>;
  type ZodNumber = Schema<number>;
  type ZodInt = Schema<number>;
  type ZodBoolean = Schema<boolean>;
  type ZodNull = Schema<null>;
  type ZodUndefined = Schema<undefined>;
  type ZodUnknown = Schema<unknown>;
  type ZodLiteral<T> = Schema<T>;
  type ZodEnum<T> = Schema<T[keyof T]>;
  type ZodLazy<T extends Any> = T;
  type ZodCatch<T extends Any> = T;
  type ZodArray<T extends Any> = Schema<T["output"][], T["input"][]>;
  type ZodNullable<T extends Any> = Schema<T["output"] | null, T["input"] | null>;
  type ZodOptional<T extends Any> = Schema<T["output"] | undefined, T["input"] | undefined, "in" | "out">;
  type ZodRecord<_Key, T extends Any> = Schema<Record<string, T["output"]>, Record<string, T["input"]>>;
  type ZodUnion<T extends readonly Any[]> = Schema<T[number]["output"], T[number]["input"]>;
  type ZodDiscriminatedUnion<T extends readonly Any[], _Key> = ZodUnion<T>;
  type ZodTransform<Output, Input> = Schema<Output, Input>;
  type ZodPipe<In extends Any, Out extends Any> = Schema<Out["output"], In["input"], In["absent"] & "in">;
  type ZodPreprocess<T extends Any, Input> = Schema<T["output"], Input>;
  type ZodObject<S extends Shape, Extra> = Schema<
    Extra extends core.$loose ? Outputs<S> & Record<string, unknown> : Outputs<S>,
    Extra extends core.$loose ? Inputs<S> & Record<string, unknown> : Inputs<S>
  >;

  namespace core {
    interface $strip {
      readonly extra: "dropped";
    }
    interface $loose {
      readonly extra: "kept";
    }
    type $ZodTypeInternals<_Output, _Input> = unknown;
  }
}
