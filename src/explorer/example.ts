export interface Example {
  /** Unique among all examples. */
  title: string;
  /** A GraphQL document with one named operation. */
  document: string;
  /** Equal names have equal values across all examples: Apollo Sandbox shows them as one document. */
  variables: Readonly<Record<string, unknown>>;
  /** Request headers in addition to those that the toolbar sets. */
  headers?: Readonly<Record<string, string>>;
}
