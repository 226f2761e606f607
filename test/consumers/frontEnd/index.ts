/** The front end as it runs in a browser: one script. */
export { runApolloClient } from './apolloClient.js';
export { runUrql } from './urql.js';
