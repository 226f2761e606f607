/** The content of a response, as the client reports it. */
export interface ClientResult {
  data: unknown;
  errors: { message: string; path?: readonly unknown[]; extensions: unknown }[];
}

export interface GraphQLContent {
  data?: unknown;
  errors?:
    | readonly { message: string; path?: readonly unknown[] | undefined; extensions?: unknown }[]
    | undefined;
}

/** Without the locations of errors, as some clients print the document themselves. */
export function resultOf({ data, errors = [] }: GraphQLContent): ClientResult {
  return {
    data,
    errors: errors.map(({ message, path, extensions }) => ({ message, ...(path && { path }), extensions })),
  };
}
