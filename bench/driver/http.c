/*
 * A subject that is no program but an HTTP server: the driver itself is the client, keeps its connections alive and
 * opens another one when all are busy. What a proxy in front of a remote server costs is what it takes longer than this.
 * Understands what a benchmark's server answers: a length or chunks, one line of data an event. See driver.h.
 */
#define _GNU_SOURCE
#include "driver.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MAX_CONNECTIONS = 256, MAX_READY = 64, FIRST_ROOM = 64 * 1024, READ_ROOM = 32 * 1024 };

typedef enum { IDLE, WAITING, COMPLETE } State;

typedef struct {
  int fd;
  State state;
  char *bytes;
  size_t length, capacity;
  bool chunked, stream;
  size_t body;     /* where the body begins; 0 while the head is not complete */
  size_t body_end; /* of what is decoded of it so far */
  size_t raw;      /* chunked: where the next chunk's size is */
  size_t at;       /* what of it was handed out */
} Connection;

/* One for all: only one subject runs at a time. */
static struct {
  Connection connections[MAX_CONNECTIONS];
  int count, epoll;
  char host[64], path[128], session[128];
  int port;
} http;

bool subject_is_http(const Subject *subject) {
  return !strncmp(subject->arguments[0], "http://", 7);
}

void http_open(Server *server, Subject *subject) {
  *server = (Server){.subject = subject, .in = -1, .last_id = 2, .spawned_at = now_ms()};
  http.count = 0;
  http.session[0] = 0;
  if (sscanf(subject->arguments[0], "http://%63[^:/]:%d%127s", http.host, &http.port, http.path) != 3) {
    fprintf(stderr, "driver: not http://ADDRESS:PORT/PATH: '%s'\n", subject->arguments[0]);
    exit(2);
  }
  server->out = http.epoll = epoll_create1(EPOLL_CLOEXEC);
}

void http_close(Server *server) {
  for (int i = 0; i < http.count; i++) {
    close(http.connections[i].fd);
    free(http.connections[i].bytes);
  }
  http.count = 0;
  close(server->out);
}

static Connection *connect_one(Server *server) {
  if (http.count == MAX_CONNECTIONS) {
    subject_fail(server->subject, "all connections are busy");
    return NULL;
  }
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)http.port)};
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (inet_pton(AF_INET, http.host, &address.sin_addr) != 1 || connect(fd, (void *)&address, sizeof address)) {
    subject_fail(server->subject, "cannot connect: %s", strerror(errno));
    close(fd);
    return NULL;
  }
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
  fcntl(fd, F_SETFL, O_NONBLOCK);
  Connection *connection = &http.connections[http.count];
  *connection = (Connection){.fd = fd, .bytes = malloc(FIRST_ROOM), .capacity = FIRST_ROOM};
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
  epoll_ctl(http.epoll, EPOLL_CTL_ADD, fd, &event);
  http.count++;
  return connection;
}

static Connection *idle_connection(Server *server) {
  for (int i = 0; i < http.count; i++) {
    if (http.connections[i].state == IDLE) return &http.connections[i];
  }
  return connect_one(server);
}

/* ---- out ---- */

static bool send_parts(Server *server, int fd, struct iovec *parts, int count) {
  while (count > 0) {
    ssize_t wrote = writev(fd, parts, count);
    if (wrote < 0 && errno != EAGAIN && errno != EINTR) {
      return subject_fail(server->subject, "cannot write to it: %s", strerror(errno));
    }
    if (wrote < 0) {
      if (now_ms() > server->deadline) return subject_fail(server->subject, "took no input in time");
      /* Answers are drained meanwhile: the server may be waiting until one is read. */
      struct pollfd ready[2] = {{fd, POLLOUT, 0}, {http.epoll, POLLIN, 0}};
      poll(ready, 2, 100);
      if (ready[1].revents && http_fill(server) < 0) return false;
      continue;
    }
    while (count > 0 && (size_t)wrote >= parts->iov_len) {
      wrote -= (ssize_t)parts->iov_len;
      parts++;
      count--;
    }
    if (count > 0) {
      parts->iov_base = (char *)parts->iov_base + wrote;
      parts->iov_len -= (size_t)wrote;
    }
  }
  return true;
}

static bool post(Server *server, const char *body, size_t length) {
  Connection *connection = idle_connection(server);
  if (!connection) return false;
  char head[768];
  int head_length = snprintf(head, sizeof head,
                             "POST %s HTTP/1.1\r\nHost: %s:%d\r\nContent-Type: application/json\r\n"
                             "Accept: application/json, text/event-stream\r\n%s%s%sContent-Length: %zu\r\n\r\n",
                             http.path, http.host, http.port, http.session[0] ? "MCP-Session-Id: " : "", http.session,
                             http.session[0] ? "\r\nMCP-Protocol-Version: 2025-11-25\r\n" : "", length);
  connection->state = WAITING;
  connection->length = connection->body = connection->at = 0;
  struct iovec parts[] = {{head, (size_t)head_length}, {(void *)body, length}};
  return send_parts(server, connection->fd, parts, 2);
}

bool http_write(Server *server, const char *text, size_t length) {
  for (const char *end = text + length; text < end;) {
    const char *newline = memchr(text, '\n', (size_t)(end - text));
    size_t line = newline ? (size_t)(newline - text) : (size_t)(end - text);
    if (!post(server, text, line)) return false;
    text += line + 1;
  }
  return true;
}

/* ---- in ---- */

/* A header's value in the head, or NULL. The head ends with a NUL where its last newline was. */
static const char *header(const char *head, const char *name) {
  for (const char *line = head; (line = strstr(line, "\r\n")) != NULL;) {
    line += 2;
    size_t length = strlen(name);
    if (strncasecmp(line, name, length) || line[length] != ':') continue;
    line += length + 1;
    return line + strspn(line, " ");
  }
  return NULL;
}

/* 1: the head is read, 0: not complete, -1: it is not an answer to a call. */
static int read_head(Server *server, Connection *connection) {
  char *end = memmem(connection->bytes, connection->length, "\r\n\r\n", 4);
  if (!end) return 0;
  end[2] = 0;
  const char *length = header(connection->bytes, "content-length"), *type = header(connection->bytes, "content-type");
  const char *coding = header(connection->bytes, "transfer-encoding");
  const char *session = header(connection->bytes, "mcp-session-id");
  int status = atoi(connection->bytes + 9);
  if (status != 200 && status != 202) {
    subject_fail(server->subject, "answered HTTP %d", status);
    return -1;
  }
  if (session) snprintf(http.session, sizeof http.session, "%.*s", (int)strcspn(session, "\r"), session);
  connection->stream = type && !strncasecmp(type, "text/event-stream", 17);
  connection->chunked = coding && !strncasecmp(coding, "chunked", 7);
  connection->body = connection->at = connection->raw = (size_t)(end - connection->bytes) + 4;
  connection->body_end = connection->body;
  if (!connection->chunked) connection->body_end += length ? strtoul(length, NULL, 10) : 0;
  return 1;
}

/* Moves complete chunks together, without their sizes; true at the last one. */
static bool join_chunks(Connection *connection) {
  for (;;) {
    char *size_at = connection->bytes + connection->raw, *end = connection->bytes + connection->length;
    char *line_end = memmem(size_at, (size_t)(end - size_at), "\r\n", 2);
    if (!line_end) return false;
    size_t size = strtoul(size_at, NULL, 16);
    if ((size_t)(end - line_end) < size + 4) return false;
    memmove(connection->bytes + connection->body_end, line_end + 2, size);
    connection->body_end += size;
    connection->raw = (size_t)(line_end - connection->bytes) + size + 4;
    if (size == 0) return true;
  }
}

/* False when the server cannot be used any longer. */
static bool take_in(Server *server, Connection *connection) {
  if (connection->capacity - connection->length < READ_ROOM) {
    connection->bytes = realloc(connection->bytes, connection->capacity *= 2);
    if (!connection->bytes) {
      perror("driver: out of memory");
      exit(1);
    }
  }
  size_t room = connection->capacity - connection->length - 1;
  ssize_t got = read(connection->fd, connection->bytes + connection->length, room);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (got <= 0 || connection->state != WAITING) return subject_fail(server->subject, "closed a connection");
  connection->length += (size_t)got;
  connection->bytes[connection->length] = 0;
  if (connection->body == 0) {
    int read = read_head(server, connection);
    if (read <= 0) return read == 0;
  }
  bool complete = connection->chunked ? join_chunks(connection) : connection->length >= connection->body_end;
  if (complete) connection->state = COMPLETE;
  return true;
}

int http_fill(Server *server) {
  struct epoll_event events[MAX_READY];
  int count = epoll_wait(http.epoll, events, MAX_READY, 0);
  for (int i = 0; i < count; i++) {
    if (!take_in(server, events[i].data.ptr)) return -1;
  }
  return count > 0;
}

/* The next message of a complete answer, or NULL after its last. */
static char *next_message(Connection *connection, size_t *length) {
  char *at = connection->bytes + connection->at, *end = connection->bytes + connection->body_end;
  if (!connection->stream) {
    connection->at = connection->body_end;
    *length = (size_t)(end - at);
    return *length > 0 ? at : NULL;
  }
  while (at < end) {
    char *newline = memchr(at, '\n', (size_t)(end - at)), *line = at;
    size_t size = (size_t)((newline ? newline : end) - line);
    at += size + 1;
    connection->at = (size_t)(at - connection->bytes);
    if (size <= 6 || memcmp(line, "data: ", 6)) continue;
    *length = size - 6;
    return line + 6;
  }
  return NULL;
}

char *http_line(size_t *length) {
  for (int i = 0; i < http.count; i++) {
    Connection *connection = &http.connections[i];
    if (connection->state != COMPLETE) continue;
    char *message = next_message(connection, length);
    if (message) return message;
    connection->state = IDLE;
  }
  return NULL;
}
