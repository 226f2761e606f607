export interface Example {
  /** A GraphQL document with one named operation. */
  document: string;
  /** Equal names have equal values across all examples: Apollo Sandbox shows them as one document. */
  variables: Readonly<Record<string, unknown>>;
}
