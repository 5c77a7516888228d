"""Starts OpenStack Swift from a folder that has its configuration: makes its rings, then runs one process of each server until one of them ends.

Usage: swift-servers.py FOLDER ACCOUNT_PORT CONTAINER_PORT OBJECT_PORT

Everything is imported once, before the servers are forked: five programs that import Swift by themselves take five times as much processor time,
which is a minute on a busy machine.
"""
import ctypes
import os
import signal
import sys

import swift.account.server
import swift.common.middleware.bulk
import swift.common.middleware.catch_errors
import swift.common.middleware.dlo
import swift.common.middleware.memcache
import swift.common.middleware.s3api.s3api
import swift.common.middleware.slo
import swift.common.middleware.tempauth
import swift.container.server
import swift.obj.server
import swift.proxy.server
from swift.common.ring import RingBuilder
from swift.common.wsgi import run_wsgi

PR_SET_PDEATHSIG = 1

folder, *ports = sys.argv[1:]

# The same rings as `swift-ring-builder X.builder create 4 1 1`, `add …` and `rebalance`.
for name, port in zip(("account", "container", "object"), ports):
    builder = RingBuilder(4, 1, 1)
    builder.add_dev(dict(id=0, region=1, zone=1, ip="127.0.0.1", port=int(port), replication_ip="127.0.0.1", replication_port=int(port), device="d1", weight=1.0, meta=""))
    builder.rebalance()
    builder.get_ring().save("%s/%s.ring.gz" % (folder, name))

for name in ("account", "container", "object", "proxy"):
    if os.fork() == 0:
        # Swift leaves the process group, so that only this signal of the kernel ends a server with its parent.
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        options = {"global_conf_callback": swift.obj.server.global_conf_callback} if name == "object" else {}
        os._exit(run_wsgi("%s/%s.conf" % (folder, name), "%s-server" % name, verbose=True, **options) or 0)

_, status = os.wait()
sys.exit("A server of Swift ended: %s" % status)
