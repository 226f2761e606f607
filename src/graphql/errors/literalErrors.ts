/** Where the part of a document is that validation rejects, in the terms of other errors: root field and input path. */
import {
  Kind,
  type ASTNode,
  type DocumentNode,
  type FieldNode,
  type GraphQLError,
  type OperationDefinitionNode,
  type ValueNode,
} from 'graphql';
import { createRootFields, responseName } from '../rootFields.js';
import { shortenInputPath, shortenKey } from './publicError.js';

export interface DocumentPlace {
  /** Response key of the root field. */
  field?: string | number;
  /** Path in its arguments. */
  inputPath?: (string | number)[];
}

/** Maximum elements of a path: JSON literals can be nested as deeply as the limit on tokens allows. */
const MAX_PATH_LENGTH = 20;

/** A required argument or input field that is missing has no node: graphql-js reports it at its parent. */
const MISSING = /^Field "\w+(?:\.(\w+)" of required|" argument "(\w+)" of) type ".+ was not provided\.$/;

/** Finds the places of errors in the root fields of an operation, as far as the operation's document is known. */
export function placeFinder(
  document: DocumentNode | undefined,
  definition: OperationDefinitionNode | null | undefined,
): (error: GraphQLError) => DocumentPlace {
  if (!document || !definition) return () => ({});
  const fields = createRootFields(document, definition)({});
  return ({ nodes = [], message }) => {
    for (const node of nodes) {
      const field = fields.find((each) => contains(each, node));
      if (!field) continue;
      const [, member, argument] = MISSING.exec(message) ?? [];
      const missing = member ?? argument;
      const path = [...inputPathOf(field, node), ...(missing === undefined ? [] : [missing])];
      return {
        field: shortenKey(responseName(field)),
        ...(path.length > 0 && { inputPath: shortenInputPath(path) }),
      };
    }
    return {};
  };
}

function inputPathOf({ arguments: nodes = [] }: FieldNode, node: ASTNode): (string | number)[] {
  const argument = nodes.find((each) => contains(each, node));
  if (!argument) return [];
  const path: (string | number)[] = [argument.name.value];
  let part = memberOf(argument.value, node);
  while (part && path.length < MAX_PATH_LENGTH) {
    path.push(part.key);
    part = memberOf(part.value, node);
  }
  return path;
}

/** The member of a list or an input object that contains the node. */
function memberOf(value: ValueNode, node: ASTNode): { key: string | number; value: ValueNode } | undefined {
  if (value.kind === Kind.LIST) {
    const key = value.values.findIndex((each) => contains(each, node));
    const element = value.values[key];
    return element && { key, value: element };
  }
  if (value.kind !== Kind.OBJECT) return undefined;
  const member = value.fields.find((each) => contains(each, node));
  return member && { key: member.name.value, value: member.value };
}

function contains({ loc: outer }: ASTNode, { loc: inner }: ASTNode): boolean {
  return outer !== undefined && inner !== undefined && outer.start <= inner.start && inner.end <= outer.end;
}
