/** As in Apollo's documentation: the standalone server with a RESTDataSource per request. */
import { RESTDataSource } from '@apollo/datasource-rest';
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { resolvers, typeDefs } from './handWritten.mjs';

class FreightAPI extends RESTDataSource {
  baseURL = process.env.UPSTREAM_URL;

  constructor({ token, cache }) {
    super({ cache });
    this.token = token;
  }

  willSendRequest(_path, request) {
    if (this.token) request.headers.authorization = this.token;
  }

  post(path, body) {
    return super.post(path, { body });
  }
}

const server = new ApolloServer({ typeDefs, resolvers });
await startStandaloneServer(server, {
  listen: { host: '127.0.0.1', port: Number(process.env.PORT) },
  context: async ({ req }) => ({
    freight: new FreightAPI({ token: req.headers.authorization, cache: server.cache }),
  }),
});
