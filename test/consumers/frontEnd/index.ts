/** Entry point of the browser bundle. */
export { runApolloClient } from './apolloClient.js';
export { runUrql } from './urql.js';
