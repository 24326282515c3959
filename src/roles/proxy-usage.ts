/** What `bir proxy --help` prints. Apart from the role, so that a proxy that runs does not load it. */
export const PROXY_USAGE = `Usage: bir proxy [--server-name NAME] [options] -- COMMAND [ARGS…]

Starts the MCP server COMMAND and stands between it and the host: every byte passes both ways as it is, and every tool
call is recorded. Write it in a host's configuration in place of the server's own command:

  before   npx -y @modelcontextprotocol/server-filesystem /data
  after    bir proxy --server-name files -- npx -y @modelcontextprotocol/server-filesystem /data

Ends with the server's own exit status; with 2 when this command line is wrong.

Options
  --server-name NAME  the server's name in recordings; COMMAND's base name when not given
  --standalone        never join a recorder daemon: this process keeps the record itself
  --no-record         pass everything on and record nothing
  --scope user        this entry is for the whole user: leave projects that are not set up alone
  --restart           when the server dies, start it once more and repeat the handshake
  --stay-up           when the server is gone for good, stay and answer that it is not available
  --no-correlation    never add anything to a call to recognise it by
  -h, --help          this text

\`bir run list\` shows what was recorded; \`bir off\` turns recording off.
`;
