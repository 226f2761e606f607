/** Examples, and how they fit a schema with a prefix. */
import { parse, specifiedScalarTypes, visit, type DocumentNode } from 'graphql';

export interface Example {
  /** Unique among all examples. */
  title: string;
  /** A GraphQL document with one named operation. */
  document: string;
  /** Equal names have equal values across all examples: Apollo Sandbox shows them as one document. */
  variables: Readonly<Record<string, unknown>>;
  /** Request headers in addition to those that the toolbar sets. */
  headers?: Readonly<Record<string, string>>;
  /**
   * Needed for the result that the title announces: a bearer token of the service, or the mock service, which fails as it is asked to, and
   * in front of which a page does not start with dry runs.
   */
  needs?: 'token' | 'mock';
}

const specifiedScalars: ReadonlySet<string> = new Set(specifiedScalarTypes.map(({ name }) => name));

/** The example for a schema whose types have this prefix. Its document keeps its comments and format. */
export function withTypePrefix(example: Example, prefix: string): Example {
  const text = example.document;
  const bounds = [0, ...typeReferences(text), text.length];
  const parts = bounds.slice(1).map((end, index) => text.slice(bounds[index], end));
  return { ...example, document: parts.join(prefix) };
}

/** Positions at which the names of the schema's own types start. */
function typeReferences(text: string): number[] {
  const starts: number[] = [];
  const document = parseIfValid(text);
  if (document)
    visit(document, {
      NamedType({ name, loc }) {
        if (loc && !specifiedScalars.has(name.value)) starts.push(loc.start);
      },
    });
  return starts;
}

/** One of the examples shows what an invalid document leads to. */
function parseIfValid(text: string): DocumentNode | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** A UUID of version 7 (RFC 9562 section 5.7). Pages that are not served over HTTPS have no crypto.randomUUID(). */
export function newIdempotencyKey(): string {
  const hex = (byte: number) => byte.toString(16).padStart(2, '0');
  const random = Array.from(crypto.getRandomValues(new Uint8Array(9)), hex).join('');
  const time = Date.now().toString(16).padStart(12, '0');
  const digits = `${time}7${random.slice(0, 3)}8${random.slice(3)}`;
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
