/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bo_op_requests.c - marks `requests`: each message from an accepted connection is an operation. */
#include "bo_op.h"

#include "pub_tool_vkiscnums.h"

#define CONNECTIONS_MAX 65536

static struct {
	Bool is_accepted, open;
	ULong index;
} connections[CONNECTIONS_MAX];

static Bool is_connection(Int fd)
{
	return fd >= 0 && fd < CONNECTIONS_MAX && connections[fd].is_accepted;
}

static void end_request(ThreadId tid, Int fd)
{
	if (connections[fd].open)
		bo_op_end(bo_context_of_syscall(tid), connections[fd].index);
	connections[fd].open = False;
}

/* A server that does not block may ask in vain before it does what it was asked. */
static void before_receive(ThreadId tid, Int fd)
{
	if (is_connection(fd) && !(VG_(fcntl)(fd, VKI_F_GETFL, 0) & VKI_O_NONBLOCK))
		end_request(tid, fd);
}

static void after_receive(ThreadId tid, Int fd, UWord size)
{
	if (!is_connection(fd))
		return;
	end_request(tid, fd);
	if (!size)
		return;
	connections[fd].open = True;
	connections[fd].index = bo_op_next_index();
	bo_op_begin(bo_context_of_syscall(tid), connections[fd].index, NULL);
}

static void after_accept(Int fd)
{
	if (fd < CONNECTIONS_MAX)
		connections[fd].is_accepted = True;
}

static void before_close(ThreadId tid, Int fd)
{
	if (!is_connection(fd))
		return;
	end_request(tid, fd);
	connections[fd].is_accepted = False;
}

static Bool is_receive(UInt number)
{
	return number == __NR_read || number == __NR_readv || number == __NR_recvfrom || number == __NR_recvmsg ||
	       number == __NR_recvmmsg;
}

void bo_requests_before(ThreadId tid, UInt number, const UWord *args)
{
	if (is_receive(number))
		before_receive(tid, (Int)args[0]);
	else if (number == __NR_close)
		before_close(tid, (Int)args[0]);
}

void bo_requests_after(ThreadId tid, UInt number, const UWord *args, UWord result)
{
	if (number == __NR_accept || number == __NR_accept4)
		after_accept((Int)result);
	else if (is_receive(number))
		after_receive(tid, (Int)args[0], result);
}
