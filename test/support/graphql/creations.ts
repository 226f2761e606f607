/** Creations with as many values as a test needs. */
import { validArguments, type Operation } from './rootFields.js';

export const repeat = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => part(index));
/** The parts of a document. */
export const repeated = (...args: Parameters<typeof repeat>) => repeat(...args).join(' ');
const { input: validInput } = validArguments('createNotification') as { input: object };

/** A creation, repeated under aliases with the same variable. By default it has no lists but one of one status. */
export const creations = (count: number, overrides: object): Operation => ({
  query: `mutation ($input: NotificationInput!) { ${repeated(count, (index) => `a${index}: createNotification(input: $input) { messages }`)} }`,
  variables: {
    input: { ...validInput, recipient: recipientOf({ emailList: ['dock@example.com'] }), ...overrides },
  },
});

export const recipientOf = (lists: object) => ({ shipmentLevel: { emailList: [], smsList: [], ...lists } });

export const phones = (count: number) => repeat(count, (index) => `(303) 555-${String(1000 + index)}`);
