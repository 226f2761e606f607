/** Documents that are expensive to validate or execute: at least one for every validation rule. */
import { repeated as many } from './creations.js';

const read = 'notification(notificationGuid:"a")';
const deletion =
  'deleteException(input:{shipment:{hauler:{freightProviderReferenceNumber:"a",freightHaulerProviderXid:"b"}},carrier:{mc:"1"},target:{exceptionGuid:"c"}}){deleted}';
/** A chain of fragments, each of which spreads the next one twice. */
const doubling = (count: number, type: string, end: string) =>
  `${many(count, (index) => `fragment F${index} on ${type}{...F${index + 1} ...F${index + 1}}`)} fragment F${count} on ${type}{${end}}`;

export interface DocumentBomb {
  query: string;
  variables?: Record<string, unknown>;
  /** @default 'QUERY_TOO_COMPLEX' */
  code?: 'BAD_REQUEST' | 'BAD_USER_INPUT' | 'GRAPHQL_PARSE_FAILED' | 'GRAPHQL_VALIDATION_FAILED';
}

const INVALID = { code: 'GRAPHQL_VALIDATION_FAILED' } as const;

/** With default limits, none of them may cause a REST call. */
export const documentBombs: Readonly<Record<string, DocumentBomb>> = {
  // Too many mutations.
  'a thousand aliased deletions': { query: `mutation{${many(1000, (index) => `a${index}:${deletion}`)}}` },
  'as many deletions as aliases are allowed': {
    query: `mutation($input:DeleteExceptionInput!){${many(50, (index) => `a${index}:deleteException(input:$input){deleted}`)}}`,
    variables: { input: shipmentInput() },
  },
  'deletions of variables in fragments': {
    query: `mutation($input:DeleteExceptionInput!){${many(11, (index) => `...F${index}`)}} ${many(11, (index) => `fragment F${index} on Mutation{a${index}:deleteException(input:$input){deleted}}`)}`,
    variables: { input: shipmentInput() },
  },
  'deletions in fragments before the mutation': {
    query: `${many(200, (index) => `fragment F${index} on Mutation{a${index}:${deletion}}`)} mutation{${many(200, (index) => `...F${index}`)}}`,
  },
  'deletions included by variables': {
    query: `mutation($yes:Boolean!,$no:Boolean=false,$input:DeleteExceptionInput!){${many(6, (index) => `a${index}:deleteException(input:$input)@include(if:$yes){deleted}`)} ...@skip(if:$no){${many(5, (index) => `b${index}:deleteException(input:$input){deleted}`)}}}`,
    variables: { yes: true, input: shipmentInput() },
  },
  'deletions in inline fragments within each other': {
    query: `mutation{${many(11, (index) => `...{...on Mutation{a${index}:${deletion}}}`)}}`,
  },
  'a mutation behind a comment and a query': {
    query: `# mutation\nquery A{__typename},mutation B{${many(1000, (index) => `a${index}:${deletion}`)}}`,
  },
  // Too many reads.
  'aliased reads': { query: `{${many(51, (index) => `a${index}:${read}{notificationGuid}`)}}` },
  'reads by a list': {
    query: `{notificationsByGuid(notificationGuids:[${many(101, (index) => `"${index}"`)}]){notificationGuid}}`,
  },
  'reads by a variable': {
    query: 'query($guids:[ID!]!){notificationsByGuid(notificationGuids:$guids){notificationGuid}}',
    variables: { guids: Array.from({ length: 20_000 }, (_, index) => `${index}`) },
  },
  'reads by the default value of a variable': {
    query: `query($guids:[ID!]!=[${many(101, (index) => `"${index}"`)}]){notificationsByGuid(notificationGuids:$guids){notificationGuid}}`,
  },
  'reads by several lists': {
    query: `query($a:[ID!]!,$b:[ID!]!){a:notificationsByGuid(notificationGuids:$a){notificationGuid} b:notificationsByGuid(notificationGuids:$b){notificationGuid}}`,
    variables: {
      a: Array.from({ length: 51 }, (_, index) => `a${index}`),
      b: Array.from({ length: 51 }, (_, index) => `b${index}`),
    },
  },
  'reads in doubling fragments': {
    query: `{...F0} ${doubling(
      60,
      'Query',
      many(51, (index) => `a${index}:${read}{notificationGuid}`),
    )}`,
  },
  // Deep, long and wide documents.
  'fields within fields': {
    query: `{${'notifications{'.repeat(300)}messages${'}'.repeat(300)}}`,
    ...INVALID,
  },
  'inline fragments within each other': {
    query: `{notifications{notifications{${'...{recipient{'.repeat(100)}__typename${'}}'.repeat(100)}}}}`,
    ...INVALID,
  },
  'fields within fragments within fragments': {
    query: `{notifications{notifications{...F0}}} ${many(60, (index) => `fragment F${index} on Notification{recipient{...F${index + 1}}}`)} fragment F60 on Notification{__typename}`,
    ...INVALID,
  },
  'braces that are never closed': { query: '{'.repeat(200_000), code: 'GRAPHQL_PARSE_FAILED' },
  'a list within lists': {
    query: `{notifications(additionalParameters:${'['.repeat(480)}${']'.repeat(480)}){messages}}`,
    ...INVALID,
  },
  'an object within objects': {
    query: `{notifications(additionalParameters:${'{a:'.repeat(2000)}1${'}'.repeat(2000)}){messages}}`,
  },
  'lines without tokens': { query: `${'\n'.repeat(120_000)}{${many(100, (index) => `f${index}`)}}` },
  comments: { query: `${'#\r'.repeat(80_000)}{${many(100, (index) => `f${index}`)}}` },
  'errors behind a long comment': {
    query: `#${'x'.repeat(240_000)}\n{${many(100, (index) => `f${index}`)}}`,
    ...INVALID,
  },
  'errors before a long comment': {
    query: `{${many(100, (index) => `f${index}`)}}#${'x'.repeat(240_000)}`,
    ...INVALID,
  },
  // Work for validation rules.
  'one name for many fields': { query: `{${read}{${many(320, (index) => `a:${field(index)}`)}}}` },
  'one field many times': { query: `{${many(990, () => '__typename')}}`, ...INVALID },
  'fragments that are all compared': {
    query: `{${many(95, (index) => `...F${index}`)}} ${many(95, (index) => `fragment F${index} on Query{a:color}`)}`,
  },
  'fragments in circles': {
    query: `{...F0} ${many(30, (index) => `fragment F${index} on Query{${many(10, (other) => `...F${(index + other) % 30}`)}}`)}`,
    ...INVALID,
  },
  'directives on a field': { query: `{__typename ${many(190, () => '@skip(if:true)')}}` },
  'directives that do not exist': { query: `{__typename ${many(480, (index) => `@d${index}`)}}` },
  'fields that do not exist': { query: `{${many(900, (index) => `notificatio${index}`)}}`, ...INVALID },
  'long names that do not exist': {
    query: `{${many(110, (index) => `${'n'.repeat(2000)}${index}`)}}`,
    ...INVALID,
  },
  'variables that nothing uses': {
    query: `query(${many(240, (index) => `$v${index}:ID`)}){__typename}`,
    ...INVALID,
  },
  'variables that nothing defines': {
    query: `{notificationsByGuid(notificationGuids:[${many(480, (index) => `$v${index}`)}]){notificationGuid}}`,
    ...INVALID,
  },
  'arguments that do not exist': {
    query: `{notification(${many(310, (index) => `a${index}:1`)}){notificationGuid}}`,
    ...INVALID,
  },
  'input fields that do not exist': {
    query: `mutation{createNotification(input:{${many(310, (index) => `a${index}:1`)}}){messages}}`,
    ...INVALID,
  },
  'enum values that do not exist': {
    query: `mutation{createNotification(input:{trigger:{shipmentStatusChange:[${many(900, (index) => `DELIVERE${index}`)}]}}){messages}}`,
    ...INVALID,
  },
  'introspection within itself': {
    query: `{__schema{types{${'fields{type{'.repeat(40)}name${'}}'.repeat(40)}}}}`,
    ...INVALID,
  },
  'a variable that is wrong in many places': {
    query: 'mutation($input:NotificationInput!){createNotification(input:$input){messages}}',
    variables: { input: { trigger: { shipmentStatusChange: Array(1000).fill('X') } } },
    code: 'BAD_USER_INPUT',
  },
  'a variable that is wrong in too many places': {
    query: 'mutation($input:NotificationInput!){createNotification(input:$input){messages}}',
    variables: { input: { trigger: { shipmentStatusChange: Array(50_000).fill('X') } } },
  },
};

function field(index: number): string {
  return index % 2 === 0 ? 'notificationGuid' : 'notificationName';
}

function shipmentInput() {
  return {
    shipment: { hauler: { freightProviderReferenceNumber: 'a', freightHaulerProviderXid: 'b' } },
    carrier: { mc: '1' },
    target: { exceptionGuid: 'c' },
  };
}
